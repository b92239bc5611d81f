"""What a run is: its life, its record, the queue, who may ask for one."""
