"""WTForms by area: what a form may hold, in words for people. Rules on records live below, in the services."""
