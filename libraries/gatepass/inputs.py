"""The four input files of a run, one function each."""

from gatepass.catalogue import load_catalogue
from gatepass.order import load_order
from gatepass.profile import load_profile
from gatepass.testbed import load_testbed

__all__ = ["load_catalogue", "load_order", "load_profile", "load_testbed"]
