"""Many gateways at once: the plan of a fleet, its workers, its turns, and its one result."""
