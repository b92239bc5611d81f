"""One list of what agents did here: joined from the runs, their questions and their changes when it is asked for."""
