"""Many gateways at once: the plan of a fleet, its workers, and its one result."""
