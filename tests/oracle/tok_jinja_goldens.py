#!/usr/bin/env python3
"""Records what jinja2, set up as transformers sets it up, makes of templates, into tests/tok/jinja.json.

    python tests/oracle/tok_jinja_goldens.py

Each case is a template, its variables, and the text it gives, or null where rendering is an error. The chat templates
at the end are written here in the manner of published ones (ChatML, Zephyr, Llama 3, thinking and tool calls).
"""
import json
import os

import jinja2
import transformers
from transformers.utils.chat_template_utils import _compile_jinja_template

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tok", "jinja.json")

V = {"s": "Hello, World", "u": "äß Ünï 😀 漢字", "n": 7, "z": 0, "neg": -7, "f": 2.5, "t": True, "no": False, "nil": None,
     "xs": [3, 1, 2], "words": ["b", "A", "c", "a"], "empty": [], "d": {"b": 1, "a": [1, {"k": "v"}], "items": "x"},
     "rows": [{"n": "x", "v": 2, "ok": True}, {"n": "y", "v": 1, "ok": False}, {"n": "z", "v": 3}],
     "nested": {"a": {"b": {"c": 5}}}, "sp": "  \n pad\t ", "lines": "a\n\nb\r\nc\n", "html": "<a href='x'>&\"</a>"}

EXPRESSIONS = [
    # literals
    "1", "1_000", "0x1F", "0b101", "0o17", "1.5", "1e3", "1.5e-7", "2.0", "1e16", "1e15", "123456789012345680.0",
    "0.1 + 0.2", "1e-5", "0.0001", "1/3", "-0.0", "true", "True", "false", "none", "None", "'a' 'b' \"c\"",
    r"'\n\t\\\'\x41\u00e9\101\q'", '"it\'s"', "[1, 'a', none, true, 1.0, [2]]", "(1, 2)", "(1,)", "()", "{'a': 1, 'b': [2]}",
    "{}", "[]", "{'x': {'y': {}}}", "['it\\'s', '\"', '\\n', 'é', '\\u200b']",
    # arithmetic
    "1 + 2 * 3", "(1 + 2) * 3", "2 ** 3 ** 2", "-2 ** 2", "7 / 2", "7 // 2", "-7 // 2", "7 % 3", "-7 % 3", "7.5 // 2",
    "-7.5 % 2", "2 ** -1", "10 - 2 - 3", "1 + 1.0", "true + 1", "'a' + 'b'", "'ab' * 3", "3 * 'ab'", "[1] + [2]", "[0] * 3",
    "'ab' * -1", "1 ~ 2 ~ 'x' ~ none ~ 1.5", "1 ~ 2 + 3", "-n", "+n", "- -n", "--n", "n - -1", "1 / 0", "1 % 0",
    "9223372036854775807 + 0", "'a' + 1", "none + 1", "[] + 'a'",
    # comparisons and logic
    "1 == 1.0", "1 == true", "'a' == 'a'", "1 != 2", "1 < 2 < 3", "1 < 3 < 2", "3 > 2 >= 2", "'a' < 'b'", "[1, 2] < [1, 3]",
    "none == none", "nil is none", "[1] == [1]", "{'a': 1} == {'a': 1.0}", "(1,) == [1]", "1 < 'a'", "none < 1",
    "'ell' in s", "'x' not in s", "1 in xs", "9 in xs", "'b' in d", "'zz' in d", "1 in missing", "'a' in missing", "1 in s",
    "not true", "not 0", "true and 'x'", "0 or 'y'", "1 and 0 or 2", "not 1 == 2", "'' or none or 'last'",
    "not ('x' in s)", "'a' if t", "'a' if no", "'a' if no else 'b'", "'a' if no else 'b' if no else 'c'",
    # attributes, items, slices
    "s[0]", "s[-1]", "s[99]", "u[1]", "u[-2]", "u[2:6]", "u[::-1]", "s[1:4]", "s[:-3]", "s[::2]", "s[-3:]", "s[5:2]", "xs[0]",
    "xs[-1]", "xs[5]", "xs[1:]", "xs[::-1]", "xs[-2:]", "xs[::2]", "xs[2:0:-1]", "xs[:100]", "xs[::0]", "xs['a']", "xs.0",
    "d.b", "d['b']", "d.a[1].k", "d['a'][1]['k']", "d.missing", "d.missing.more", "d['items']", "nested.a.b.c", "missing",
    "missing.x", "missing[0]", "rows[0].n", "rows[0]['v']", "d.get('b')", "d.get('q')", "d.get('q', 5)", "d.keys()|list",
    "d.values()|list|length", "d.items()|list|length", "s.nope", "(1,2)[1]", "'abc'[1]", "[1,2,3][1:][0]", "s.upper()[0]",
    # methods of texts
    "s.upper()", "s.lower()", "u.upper()", "u.lower()", "s.title()", "'it\\'s a dog-eat'.title()", "'hELLO wORLD'.capitalize()",
    "sp.strip()", "sp.lstrip()", "sp.rstrip()", "'xxaxx'.strip('x')", "'abcba'.lstrip('ab')", "'abcba'.rstrip('ab')",
    "'\\u00a0\\u3000a\\u2003'.strip()", "s.split(', ')", "'a b  c '.split()", "' a b '.split(' ')", "'a,b,c'.split(',', 1)",
    "'a,b,c'.rsplit(',', 1)", "'  a b  c '.split(none, 1)", "'  a b  c '.rsplit(none, 1)", "'abc'.split('')", "lines.splitlines()",
    "lines.splitlines(true)", "s.startswith('Hell')", "s.endswith('ld')", "s.startswith(('x', 'H'))", "s.startswith(1)",
    "s.replace('l', 'L')", "s.replace('l', 'L', 1)", "'abc'.replace('', '-')", "s.find('o')", "s.find('q')", "u.find('Ü')",
    "s.rfind('o')", "s.index('W')", "s.index('q')", "s.count('l')", "'-'.join(['a', 'b'])", "'-'.join([1])", "'12'.isdigit()",
    "'1a'.isdigit()", "'aé'.isalpha()", "'a1'.isalnum()", "' \\t'.isspace()", "'ab'.islower()", "'AB'.isupper()",
    "'prefix-x'.removeprefix('prefix-')", "'x.py'.removesuffix('.py')", "xs.index(1)", "xs.count(1)", "xs.append(4)",
    "d.update({})",
    # filters
    "s|upper", "s|lower", "s|title", "'foo bar-baz (qux)'|title", "'hELLO'|capitalize", "sp|trim", "'xxaxx'|trim('x')", "s|length",
    "u|length", "xs|length", "d|length", "n|length", "missing|length", "nil|length", "xs|first", "xs|last", "empty|first", "s|first",
    "s|last", "xs|list", "s|list", "u|list", "d|list", "n|list", "missing|list", "words|join", "words|join(', ')", "xs|join('-')",
    "rows|join(',', attribute='n')", "missing|default('D')", "missing|d('D')", "''|default('D')", "''|default('D', true)",
    "''|default('D', boolean=true)", "nil|default('D')", "nil|default('D', true)", "missing|default", "s|replace('l', 'L')",
    "s|replace('l', 'L', 1)", "12|replace('1', '2')", "xs|sort", "words|sort", "words|sort(case_sensitive=true)",
    "words|sort(reverse=true)", "rows|sort(attribute='v')|map(attribute='n')|list", "[1, 'a']|sort", "xs|reverse|list", "s|reverse",
    "rows|map(attribute='n')|join", "rows|map(attribute='ok', default='?')|list", "words|map('upper')|list",
    "xs|map('string')|join('+')", "['a b', 'c']|map('replace', ' ', '_')|list", "xs|select('odd')|list", "xs|reject('odd')|list",
    "xs|select('gt', 1)|list", "[0, 1, '', 'a']|select|list", "rows|selectattr('ok')|map(attribute='n')|list",
    "rows|selectattr('v', 'equalto', 1)|list|length", "rows|rejectattr('v', '>', 1)|map(attribute='n')|join",
    "rows|selectattr('ok', 'defined')|list|length", "rows|selectattr('v', 'in', [1, 3])|map(attribute='n')|join",
    "xs|map('nope')|list", "xs|select('nope')|list", "(xs|select('gt', 99)) is true", "xs|select('gt', 99)|length",
    "'T' if xs|select('gt', 99) else 'F'", "'T' if xs|select('gt', 99)|list else 'F'", "'42'|int", "'x'|int", "'x'|int(5)", "3.9|int",
    "'3.9'|int", "-3.9|int", "(-3.9)|int", "'1.5'|float", "'x'|float", "3|float", "true|int", "2.567|round(2)", "2.5|round", "3.5|round",
    "2.4|round(0, 'ceil')", "2.6|round(method='floor')", "7|round", "-5|abs", "5.5|abs", "xs|sum", "rows|sum(attribute='v')",
    "xs|sum(start=10)", "xs|max", "xs|min", "words|max", "empty|max", "rows|max(attribute='v')", "['a', 'A', 'b']|unique|list",
    "d|dictsort|map('first')|list", "{'b': 1, 'A': 2}|dictsort", "{'b': 1, 'a': 2}|dictsort(by='value')", "d|items|list|length",
    "html|escape", "html|e", "html|safe", "n|string", "'a b c'|wordcount", "rows|attr('x')", "d|attr('items')|string|length > 0",
    "'a\\nb\\n\\nc'|indent", "'a\\nb\\n\\nc'|indent(2)", "'a\\nb'|indent(2, true)", "'a\\n\\nb'|indent(2, blank=true)", "'a\\nb'|indent('> ')",
    "'a\\n'|indent", "s|nope", "s|upper|lower|length", "(s|length) + 1", "s|length + 1", "not s|length", "-n|abs",
    # tojson
    "d|tojson", "rows|tojson", "s|tojson", "u|tojson", "u|tojson(ensure_ascii=true)", "html|tojson", "d|tojson(indent=2)",
    "rows|tojson(indent=4)", "{}|tojson(indent=2)", "[]|tojson(indent=2)", "d|tojson(sort_keys=true)", "[1.0, 1e20, 0.1, -0.0, 1e-7]|tojson",
    "[true, none]|tojson", "'\\u0001\\u001f\\u007f\\b\\f\"/\\\\'|tojson", "d|tojson(separators=(',', ':'))", "{1: 2, none: 3, true: 4}|tojson",
    "missing|tojson", "(1, 2)|tojson", "nil|tojson", "{'a': [1, {'b': []}]}|tojson(indent=1)", "[xs|select]|tojson",
    # tests
    "s is defined", "missing is defined", "missing is undefined", "d.q is defined", "nil is none", "missing is none", "s is string",
    "n is string", "n is number", "f is number", "t is number", "n is integer", "f is integer", "t is integer", "f is float",
    "t is boolean", "n is boolean", "t is true", "n is true", "no is false", "z is false", "d is mapping", "xs is mapping",
    "xs is iterable", "s is iterable", "n is iterable", "d is iterable", "missing is iterable", "xs is sequence", "d is sequence",
    "n is odd", "n is even", "n is divisibleby(7)", "n is divisibleby 7", "n is eq 7", "n is equalto(8)", "n is ne(8)", "n is lt 8",
    "n is ge(7)", "1 is in xs", "1 is in [2]", "n is sameas n", "s is not none", "s is not string", "not s is string", "s is lower",
    "'abc' is lower", "'ABC' is upper", "s is callable", "range is callable", "s is nope", "s is string and n is number",
    "s is string or missing.x", "s is defined and s is string", "(n is odd) == true", "'upper' is filter", "'x' is test",
    # functions
    "range(3)|list", "range(1, 4)|list", "range(5, 0, -2)|list", "range(0)|list", "range(1, 2, 0)|list", "range('a')|list",
    "range(1000000)|length", "dict(a=1, b=2)", "dict(d, q=1)|length", "dict([('a', 1)])", "namespace(a=1).a", "namespace().b",
    "raise_exception('stop here')", "nope()", "s()", "range()", "range(1, 2, 3, 4)", "s|trim(1, 2, 3)", "s|upper(x=1)", "d.get()",
]

STATEMENTS = [
    "{% if n > 5 %}big{% elif n > 2 %}mid{% else %}small{% endif %}", "{% if missing %}a{% else %}b{% endif %}",
    "{% for x in xs %}{{ x }},{% endfor %}", "{% for x in empty %}{{ x }}{% else %}none{% endfor %}",
    "{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}", "{% for k in d %}{{ k }}{% endfor %}", "{% for c in u %}[{{ c }}]{% endfor %}",
    "{% for x in missing %}{{ x }}{% else %}E{% endfor %}", "{% for x in n %}{% endfor %}", "{% for x in nil %}{% endfor %}",
    "{% for x in xs %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.depth }};{% endfor %}",
    "{% for x in xs %}{{ loop.previtem }}<{{ x }}>{{ loop.nextitem }} {% endfor %}",
    "{% for x in xs %}{{ loop.previtem is defined }}{{ loop.nextitem is defined }}{% endfor %}",
    "{% for x in xs if x > 1 %}{{ x }}{{ loop.index }}{{ loop.last }} {% endfor %}", "{% for x in xs if x > 9 %}{{ x }}{% else %}no{% endfor %}",
    "{% for x in xs %}{% for y in words %}{{ loop.depth }}{{ x }}{{ y }}{{ loop.index }} {% endfor %}{{ loop.index }}|{% endfor %}",
    "{% for x in xs %}{{ loop.cycle('a', 'b') }}{% endfor %}", "{% for x in [1, 1, 2] %}{{ loop.changed(x) }}{% endfor %}",
    "{% for x in range(10) %}{% if x == 3 %}{% continue %}{% endif %}{% if x > 5 %}{% break %}{% endif %}{{ x }}{% endfor %}",
    "{% for (a, b) in [(1, 2), (3, 4)] %}{{ a + b }} {% endfor %}", "{% for a, b in [(1, 2, 3)] %}{% endfor %}", "{% for x in 1, 2 %}{{ x }}{% endfor %}",
    "{% set x = 1 %}{% for i in xs %}{{ x }}{% set x = x + 1 %}{{ x }} {% endfor %}{{ x }}",
    "{% set x = 1 %}{% if t %}{% set x = 2 %}{% endif %}{{ x }}", "{% for i in xs %}{% if i %}{% set y = i %}{% endif %}{{ y }}{% endfor %}{{ y }}",
    "{% set ns = namespace(n=0, last=none) %}{% for i in xs %}{% set ns.n = ns.n + i %}{% set ns.last = i %}{% endfor %}{{ ns.n }} {{ ns.last }}",
    "{% set d.b = 2 %}", "{% set a, b = 1, 2 %}{{ a }}{{ b }}", "{% set a = 1, 2 %}{{ a }}", "{% set a, b = 'xy' %}{{ b }}{{ a }}", "{% set a, b = [1] %}",
    "{% set x %}body {{ n }}{% endset %}[{{ x }}]", "{% set x | upper | trim %} body {% endset %}[{{ x }}]", "{% set x %}{% set q = 1 %}{{ q }}{% endset %}{{ x }}{{ q }}",
    "{% macro m(a, b=2, c='z') %}{{ a }}-{{ b }}-{{ c }};{% endmacro %}{{ m(1) }}{{ m(1, 5) }}{{ m(1, c='q') }}{{ m(c=1, a=3) }}",
    "{% macro m(a) %}[{{ a }}]{% endmacro %}{{ m() }}", "{% macro m(a) %}x{% endmacro %}{{ m(1, 2) }}", "{% macro m(a) %}x{% endmacro %}{{ m(b=2) }}",
    "{% macro f(k) %}{% if k > 0 %}{{ k }}{{ f(k - 1) }}{% endif %}{% endmacro %}{{ f(4) }}", "{% macro f(k) %}{{ f(k) }}{% endmacro %}{{ f(1) }}",
    "{% macro m() %}{{ n }}{{ later }}{% endmacro %}{% set later = 'L' %}{{ m() }}", "{% macro m() %}{% set n = 99 %}{{ n }}{% endmacro %}{{ m() }}{{ n }}",
    "{% macro box(t) %}<{{ t }}>{{ caller() }}</{{ t }}>{% endmacro %}{% call box('b') %}in {{ n }}{% endcall %}",
    "{% macro each(l) %}{% for i in l %}{{ caller(i) }}{% endfor %}{% endmacro %}{% call(x) each(xs) %}({{ x }}){% endcall %}",
    "{% macro m() %}a{% endmacro %}{{ m()|upper ~ m() }}", "{% macro m() %} a {% endmacro %}{{ m()|length }}", "{{ m() }}{% macro m() %}a{% endmacro %}",
    "{% filter upper %}abc {{ s }}{% endfilter %}", "{% filter upper | replace('A', 'x') %}abc{% endfilter %}", "{% with a = 1, b = n %}{{ a }}{{ b }}{% endwith %}{{ a }}",
    "{% with n = 1 %}{% with m = n %}{{ m }}{% endwith %}{% endwith %}", "{% raw %}{{ x }} {% if %}{% endraw %}", "a{%- raw -%} {{ x }} {%- endraw -%} b",
    "{% generation %}text {{ n }}{% endgeneration %}", "{# a comment #}x{# {{ n }} #}", "{{ '{{' }}{{ '}}' }}{{ '{%' }}", "{{ {'a': {'b': 1}} }}", "{{ {'a': {}}}}",
    # white space
    "a\n{% if t %}\nb\n{% endif %}\nc\n", "a\n  {% if t %}  \nb\n  {% endif %}\nc", "a  {% if t %}  b  {% endif %}  c", "  {% if t %}x{% endif %}", "\n{% if t %}x{% endif %}\n\n",
    "a \n {%- if t -%} \n b \n {%- endif -%} \n c", "a\n{%+ if t %}\nb{% endif %}", "a\n  {%+ if t %}b{% endif %}", "a\n{% if t +%}\nb{% endif +%}\nc", "a\n  {{ n }}\n  b", "a \n {{- n -}} \n b",
    "a\n{# c #}\nb", "a\n  {# c #}\nb", "a\n {#- c -#} \nb", "a {# c #} b", "{% for x in xs %}\n  {{ x }}\n{% endfor %}\n", "{% for x in xs -%}\n  {{ x }}\n{%- endfor %}\n",
    "{% set x = 1 %}\n\n{{ x }}\n", "a\r\n{% if t %}\r\nb\r\n{% endif %}\r\nc\r\n", "a\r{{ n }}\r", "x\n", "x\n\n", "\n", "", "   ", "{% if t %}{% endif %}   \n", "a\u00a0{%- if t %}b{% endif %}", "\t{% if t %}\tb{% endif %}",
    "{% if t %}\n  {% if t %}\n  deep\n  {% endif %}\n{% endif %}\n", "text {% if t %}\n{% endif %}", "{{ n }}\n{{ n }}\n", "{% if t %}a\n{% else %}b\n{% endif %}c", "{%- for x in xs %} {{- x }} {%- endfor %}",
    "{% raw %}\nx\n{% endraw %}\ny", "  {% raw %} x {% endraw %}  \ny", "a\n  {%- raw %}\n b\n  {% endraw +%}\nc", "{#-#}x", "{# x -#}  y", "{{ 'a\nb' }}", "{% set x = 'a\r\nb' %}{{ x }}",
    # mistakes
    "{{ }}", "{{ 1 + }}", "{{ (1 }}", "{{ 1) }}", "{{ [1, }}", "{{ 'a }}", "{% if %}{% endif %}", "{% if t %}", "{% endif %}", "{% for x %}{% endfor %}", "{% for in xs %}{% endfor %}", "{% nope %}",
    "{% break %}", "{% set 1 = 2 %}", "{% set true = 2 %}", "{{ s|nope }}", "{{ s is nope }}", "{{ n", "{% if t", "{# x", "{% raw %}x", "{{ 1 2 }}", "{{ ] }}", "{{ a.1b }}", "{{ $ }}", "{% if t %}{% else %}{% else %}{% endif %}",
    "{% macro m(a=1, b) %}{% endmacro %}", "{{ f(a=1, 2) }}", "{{ x is y is z }}", "{% set ns = namespace() %}{% set ns.a = 1 %}{{ ns.a }}", "{{ n.foo() }}", "{{ d.nope() }}", "{% call nope() %}{% endcall %}", "{{ loop.index }}",
    "{{ 1 if }}", "{{ not }}", "{{ 'a' 1 }}", "{% if t %}x{% endfor %}", "{{ 1 == }}", "{{ {1} }}", "{{ {1: } }}", "{{ n.. }}", "{{ [1][ }}", "{{ xs[1 }}",
]

CHATML = """{% if messages and messages[0]['role'] != 'system' %}{{ '<|im_start|>system
You are helpful.<|im_end|>
' }}{% endif %}{% for m in messages %}{{'<|im_start|>' + m['role'] + '
' + m['content'] + '<|im_end|>' + '
'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant
' }}{% endif %}"""

ZEPHYR = """{% for m in messages %}
{% if m['role'] in ['user', 'system'] %}
{{ '<|' + m['role'] + '|>\n' + m['content'] + eos_token }}
{% elif m['role'] == 'assistant' and m['content'] %}
{{ '<|assistant|>\n'  + m['content'] + eos_token }}
{% endif %}
{% if add_generation_prompt and loop.last %}
{{ '<|assistant|>' }}
{% endif %}
{% endfor %}"""

LLAMA3 = """{{- bos_token }}
{#- tools may come from the caller #}
{%- if custom_tools is defined %}{%- set tools = custom_tools %}{%- endif %}
{%- if not tools is defined %}{%- set tools = none %}{%- endif %}
{%- if not date_string is defined %}{%- set date_string = "26 Jul 2024" %}{%- endif %}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\n\n" }}
{{- "Today Date: " + date_string + "\n\n" }}
{%- if tools is not none %}
    {{- "You can call functions:\n\n" }}
    {%- for t in tools %}
        {{- t | tojson(indent=4) }}
        {{- "\n\n" }}
    {%- endfor %}
{%- endif %}
{{- system_message }}
{{- "<|eot_id|>" }}
{%- for message in messages %}
    {%- if not (message.role == 'ipython' or message.role == 'tool' or 'tool_calls' in message) %}
        {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n'+ message['content'] | trim + '<|eot_id|>' }}
    {%- elif 'tool_calls' in message %}
        {%- if not message.tool_calls|length == 1 %}
            {{- raise_exception("one tool call at a time") }}
        {%- endif %}
        {%- set tool_call = message.tool_calls[0].function %}
        {{- '<|start_header_id|>assistant<|end_header_id|>\n\n' -}}
        {{- '{"name": "' + tool_call.name + '", "parameters": ' }}
        {{- tool_call.arguments | tojson }}{{- "}" }}{{- "<|eot_id|>" }}
    {%- elif message.role == "tool" or message.role == "ipython" %}
        {{- "<|start_header_id|>ipython<|end_header_id|>\n\n" }}
        {%- if message.content is mapping or message.content is iterable and message.content is not string %}
            {{- message.content | tojson }}
        {%- else %}
            {{- message.content }}
        {%- endif %}
        {{- "<|eot_id|>" }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\n\n' }}
{%- endif %}
"""

THINKING = """{%- macro render(content) -%}
    {%- if content is string -%}{{- content -}}
    {%- else -%}{%- for part in content if part.type == 'text' -%}{{- part.text -}}{%- endfor -%}{%- endif -%}
{%- endmacro -%}
{%- set ns = namespace(seeking=true, last=messages|length - 1) -%}
{%- for m in messages[::-1] -%}
    {%- set i = (messages|length - 1) - loop.index0 -%}
    {%- if ns.seeking and m.role == "user" and not (render(m.content).startswith('<tool>')) -%}
        {%- set ns.seeking = false -%}{%- set ns.last = i -%}
    {%- endif -%}
{%- endfor -%}
{%- for m in messages -%}
    {%- set content = render(m.content) -%}
    {%- if m.role == 'assistant' -%}
        {%- set thought = m.reasoning_content or '' -%}
        {%- if '</think>' in content -%}
            {%- set thought = content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') -%}
            {%- set content = content.split('</think>')[-1].lstrip('\\n') -%}
        {%- endif -%}
        {{- '<|assistant|>' -}}
        {%- if loop.index0 > ns.last and thought -%}{{- '<think>' + thought.strip() + '</think>' -}}{%- endif -%}
        {{- content -}}
        {%- for call in m.tool_calls or [] -%}
            {%- set f = call.function if call.function is defined else call -%}
            {{- '\n<call name="' ~ f.name ~ '">' ~ (f.arguments if f.arguments is string else f.arguments|tojson) ~ '</call>' -}}
        {%- endfor -%}
    {%- elif m.role == 'tool' -%}
        {%- if loop.first or loop.previtem.role != 'tool' -%}{{- '<|user|>' -}}{%- endif -%}
        {{- '<tool>' + content + '</tool>' -}}
    {%- else -%}
        {{- '<|' + m.role + '|>' + content -}}
    {%- endif -%}
    {{- '\n' if not (m.role == 'tool' and loop.nextitem is defined and loop.nextitem.role == 'tool') else '' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|assistant|>' -}}{%- if enable_thinking is defined and enable_thinking is false -%}{{- '<think></think>' -}}{%- endif -%}{%- endif -%}"""

ALTERNATING = """{%- set turns = messages[1:] if messages and messages[0]["role"] == "system" else messages %}
{%- set questions = turns | selectattr("role", "equalto", "user") | list %}
{%- for m in turns | rejectattr("role", "equalto", "tool") | rejectattr("tool_calls", "defined") %}
    {%- if (m["role"] == "user") != (loop.index0 % 2 == 0) %}{{- raise_exception("turns must alternate, not " ~ m.role) }}{%- endif %}
{%- endfor %}
{{- bos_token }}
{%- for m in turns %}
    {%- if m["role"] == "user" %}
        {%- if tools is not none and (m == questions[-1]) %}
            {{- "[TOOLS] [" }}
            {%- for tool in tools %}
                {{- '{' }}
                {%- for key, val in tool.function.items() if key != "return" %}
                    {{- '"' + key + '": ' }}{{- '"' + val + '"' if val is string else val|tojson }}{{- ", " if not loop.last }}
                {%- endfor %}
                {{- "}" }}{{- ", " if not loop.last else "]" }}
            {%- endfor %}
            {{- "[/TOOLS]" }}
        {%- endif %}
        {{- "[INST] " ~ (messages[0]["content"] ~ "\n\n" if loop.last and turns != messages else "") ~ m["content"] ~ "[/INST]" }}
    {%- elif m["role"] == "assistant" and m.content %}
        {{- " " + m["content"]|trim + eos_token}}
    {%- endif %}
{%- endfor %}
"""

CHATS = [
    [{"role": "user", "content": "What is the capital of France?"}],
    [{"role": "system", "content": " Be brief. "}, {"role": "user", "content": "Hi\n\nthere"},
     {"role": "assistant", "content": " Hello! "}, {"role": "user", "content": "你好 😀 <|im_end|>"}],
    [{"role": "user", "content": "Add."}, {"role": "assistant", "content": "<think>\nadd\n</think>\n\nIt is 5."},
     {"role": "user", "content": [{"type": "text", "text": "And"}, {"type": "image"}, {"type": "text", "text": " 4?"}]}],
    [{"role": "user", "content": "Weather?"},
     {"role": "assistant", "content": "", "tool_calls": [
         {"type": "function", "function": {"name": "weather", "arguments": {"city": "Paris", "n": None}}}]},
     {"role": "tool", "content": "{\"t\": 20}"}, {"role": "tool", "content": "21"},
     {"role": "assistant", "reasoning_content": " Known. ", "content": "20."}],
    [{"role": "assistant", "content": "first"}, {"role": "user", "content": "x"}],
    [],
]
TOOLS = [{"type": "function", "function": {"name": "weather", "description": "Wetter für <eine> Stadt", "parameters": {
    "type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}}}]


def case(template, vars, name=None):
    try:
        text = _compile_jinja_template(template).render(**vars)
    except Exception as e:  # any of jinja2's, Python's own from inside
        text, why = None, f"{type(e).__name__}: {e}"
    row = {"template": template, "text": text}
    if vars is not V:
        row["vars"] = vars
    if text is None:
        row["why"] = why[:120]
    if name:
        row["name"] = name
    return row


def main():
    rows = [case("{{ " + e + " }}", V) for e in EXPRESSIONS] + [case(s, V) for s in STATEMENTS]
    for name, template in (("chatml", CHATML), ("zephyr", ZEPHYR), ("llama 3", LLAMA3), ("thinking", THINKING),
                           ("alternating", ALTERNATING)):
        for messages in CHATS:
            for prompt in (True, False):
                for more in ({"tools": None}, {"tools": TOOLS, "enable_thinking": False, "date_string": "1 Jan 2025"}):
                    rows.append(case(template, dict(messages=messages, add_generation_prompt=prompt, bos_token="<s>",
                                                    eos_token="</s>", documents=None, **more), name))
    head = {"versions": {"jinja2": jinja2.__version__, "transformers": transformers.__version__}, "vars": V}
    with open(OUT, "w") as f:
        f.write("{" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in head.items()) + ",\n\"cases\": [\n")
        f.write(",\n".join(json.dumps(r, separators=(",", ":")) for r in rows) + "\n]}\n")
    print(len(rows), "cases,", sum(r["text"] is None for r in rows), "of them errors")


if __name__ == "__main__":
    main()
