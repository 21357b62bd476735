"""Public names are imported on first use, from where tools read that they are."""

import ast
import inspect

import sigarray


def test_modules_are_those_of_the_imports_for_tools():
    (block,) = (
        node
        for node in ast.parse(inspect.getsource(sigarray)).body
        if isinstance(node, ast.If)
    )
    read = {
        alias.name: node.module.removeprefix("sigarray").removeprefix(".")
        for node in block.body
        for alias in node.names
    }
    homes = dict.fromkeys(sigarray._ROOMS, "") | sigarray._HOMES
    assert read == homes
    assert sorted(homes) == sigarray.__all__
