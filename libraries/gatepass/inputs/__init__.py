"""The four input files of a run, one function each."""

from gatepass.inputs.catalogue import load_catalogue
from gatepass.inputs.order import load_order
from gatepass.inputs.profile import load_profile
from gatepass.inputs.testbed import load_testbed

__all__ = ["load_catalogue", "load_order", "load_profile", "load_testbed"]
