"""The lab's gateway: a stand-in that answers the FortiOS REST API and forwards real traffic."""
