"""Tables as `action=schema` and `action=default` show them."""

from __future__ import annotations

from typing import Any

from lab.gateway.schema.model import Attribute, Table


def schema_of(table: Table) -> dict[str, Any]:
    """The declaration of a table; of its group, as on a device, without the part."""
    branch, _, name = table.path.rpartition("/")
    result: dict[str, Any] = {
        "path": branch or table.path,
        "name": name,
        "category": "table" if table.mkey is not None else "complex",
    }
    if table.mkey is not None:
        result |= {"mkey": table.mkey, "mkey_type": table.key.type,
                   "max_table_size_vdom": table.limit}
    if branch:
        result["access_group"] = table.access.partition(".")[0]
    result["children"] = {a.name: _attribute(a) for a in table.attributes.values()}
    return result


def _attribute(attribute: Attribute) -> dict[str, Any]:
    if attribute.child is not None:
        result = {**schema_of(attribute.child), "name": attribute.name}
        if attribute.child.mkey is not None:
            result["member_table"] = attribute.is_member_list
        return result
    result = {"name": attribute.name, "category": "unitary", "type": attribute.type}
    if attribute.options:
        result["options"] = [{"name": name, "id": number}
                             for number, name in enumerate(attribute.options)]
        result["multiple_values"] = attribute.multiple
    if attribute.limits is not None:
        low, high = attribute.limits
        if attribute.type == "integer":
            result |= {"min-value": low, "max-value": high}
        else:
            result["size"] = high
    if attribute.references:
        result["datasource"] = [f"{path}.name".replace("/", ".") for path in attribute.references]
    if not attribute.secret:
        result["default"] = attribute.default
    return result


def default_of(table: Table) -> dict[str, Any]:
    """A row as it is before anything is set."""
    return {name: value for name, value in table.template.items() if name != "q_origin_key"}
