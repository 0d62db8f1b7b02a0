"""Packet and session marks that the packet filter and the inspector agree on.

A packet mark says which half of an inspected session a packet belongs to, in its upper 16 bits,
and in the lower 16 which policy's slot. A slot stands for a policy, as policyids have 32 bits.
"""

CLIENT_LEG = 0x47500000
"""The half towards whoever opened the session; slot 0 for packets of sockets that exist."""
SERVER_LEG = 0x47510000
"""The half towards the server: the policy's translation applies."""
PLAIN_LEG = 0x47520000
"""A second half without translation, of a data connection that the server opened."""
KIND = 0xFFFF0000
SLOT = 0x0000FFFF

SERVER_LEG_SESSION = 0xFFFFFFE1
"""Session mark of second halves: the policy's counters count a session by its first half alone.
FortiOS gives out no policyid as high as this."""

_FIXED_SLOTS = 0x8000
_SPARE_SLOTS = 0x8000


def slots(policyids: list[int]) -> dict[int, int]:
    """A slot for each policy that stays the same while other policies come and go."""
    found = {number: number for number in policyids if 0 < number < _FIXED_SLOTS}
    taken = set(found.values())
    for number in policyids:
        if number not in found:
            slot = _FIXED_SLOTS + number % _SPARE_SLOTS
            while slot in taken:
                slot = _FIXED_SLOTS + (slot + 1) % _SPARE_SLOTS
            found[number] = slot
            taken.add(slot)
    return found
