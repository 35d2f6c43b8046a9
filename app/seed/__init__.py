"""What a database starts with: a new installation, or the demo site and its people. On top of everything else."""
