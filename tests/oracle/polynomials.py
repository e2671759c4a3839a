"""Tables of polynomials as rows of a .def file, for the scripts that fit them."""


def rows(macro, tables):
    """Lines of `macro(name, count, coefficients)` for tables of (name, comment, values as C text), filled up to 118 columns."""
    lines = []
    for name, comment, values in tables:
        lines += [f"// {comment}", f"{macro}({name}, {len(values)},"]
        row = "  "
        for i, v in enumerate(values):
            item = v + ("," if i + 1 < len(values) else ")")
            if len(row) + len(item) + 1 > 118:
                lines.append(row.rstrip())
                row = "  "
            row += item + " "
        lines.append(row.rstrip())
    return lines
