"""The languages whose code is read by its syntax: which nodes are units, which hold units, and how units are named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Language:
    """`module` and `factory` give the grammar. `units` are cut out whole; `holders` have units inside them.

    `joint` stands between the parts of a name; `place` says what a name begins with: the file's path as a module, the
    package that the file names, or nothing.
    """

    module: str
    units: frozenset[str]
    holders: frozenset[str]
    joint: str = "."
    place: str = ""
    factory: str = "language"
    rest: str = "<top-level>"


def _types(words: str) -> frozenset[str]:
    return frozenset(words.split())


_SCRIPT_UNITS = _types(
    "function_declaration generator_function_declaration method_definition abstract_method_signature "
    "interface_declaration enum_declaration type_alias_declaration"
)
_SCRIPT_HOLDERS = _types("class_declaration abstract_class_declaration internal_module module")

LANGUAGES: Final = {
    "python": Language(
        "tree_sitter_python", _types("function_definition"), _types("class_definition"), place="module", rest="<module>"
    ),
    "rust": Language(
        "tree_sitter_rust",
        _types("function_item function_signature_item macro_definition struct_item enum_item union_item"),
        _types("impl_item trait_item mod_item"),
        joint="::",
    ),
    "typescript": Language(
        "tree_sitter_typescript", _SCRIPT_UNITS, _SCRIPT_HOLDERS, place="path", factory="language_typescript",
        rest="<module>",
    ),
    "tsx": Language(
        "tree_sitter_typescript", _SCRIPT_UNITS, _SCRIPT_HOLDERS, place="path", factory="language_tsx", rest="<module>"
    ),
    "javascript": Language("tree_sitter_javascript", _SCRIPT_UNITS, _SCRIPT_HOLDERS, place="path", rest="<module>"),
    "go": Language(
        "tree_sitter_go",
        _types("function_declaration method_declaration type_declaration"),
        frozenset(),
        place="package",
    ),
    "java": Language(
        "tree_sitter_java",
        _types("method_declaration constructor_declaration compact_constructor_declaration"),
        _types(
            "class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration"
        ),
        place="package",
    ),
    "kotlin": Language(
        "tree_sitter_kotlin",
        _types("function_declaration secondary_constructor"),
        _types("class_declaration object_declaration companion_object"),
        place="package",
    ),
    "c": Language(
        "tree_sitter_c",
        _types("function_definition struct_specifier enum_specifier union_specifier type_definition"),
        frozenset(),
        joint="::",
    ),
    "cpp": Language(
        "tree_sitter_cpp",
        _types("function_definition enum_specifier union_specifier type_definition"),
        _types("namespace_definition class_specifier struct_specifier"),
        joint="::",
    ),
}  # fmt: skip

THROUGH: Final = _types(
    "ERROR block class_body enum_body enum_body_declarations interface_body declaration_list field_declaration_list "
    "statement_block export_statement decorated_definition template_declaration expression_statement "
    "linkage_specification preproc_if preproc_ifdef preproc_else preproc_elif foreign_mod_item"
)
"""Nodes that are looked into on the way to units."""

BEFORE: Final = _types(
    "comment line_comment block_comment multiline_comment attribute_item decorator marker_annotation annotation"
)
"""Nodes that belong to the unit right below them."""
