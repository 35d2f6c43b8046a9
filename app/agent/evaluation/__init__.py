"""The evaluation set: requests in plain words with the calls they ask for, and the comparison of calls made with calls expected."""
