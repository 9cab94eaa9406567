"""The casebook as a whole: doctor, demo, capabilities, history, embedding runs, worker processes."""
