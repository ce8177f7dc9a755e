"""Protocols in which shells ask what the Tab key offers.

Typer's own functions take for a whole word what bash has cut at `=`, and in bash and zsh put a space behind all that
they complete. These two know that paths go on. Fish and PowerShell are asked as Typer does it.
"""

from typer import _completion_classes, _completion_shared

# Text for `%`, with Typer's three names.
BASH = r"""
%(complete_func)s() {
    # Bash cuts words at `=`, `:` and the like. Here they are put together again, up to the cursor.
    local IFS=$'\n' rest=${COMP_LINE:0:COMP_POINT} part apart i
    local -a words=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        apart=
        if [[ $rest =~ ^[[:space:]]+ ]]; then
            apart=1
            rest=${rest#"${BASH_REMATCH[0]}"}
        fi
        part=${COMP_WORDS[i]}
        ((i < COMP_CWORD)) || part=$rest
        if [[ $apart || ${#words[@]} == 0 ]]; then words+=("$part"); else words[-1]+=$part; fi
        rest=${rest#"$part"}
    done
    mapfile -t COMPREPLY < <(
        env COMP_WORDS="${words[*]}" COMP_CWORD=$((${#words[@]} - 1)) %(autocomplete_var)s=complete_bash "$1"
    )
    if [[ ! ${COMPREPLY[*]} ]]; then
        COMPREPLY=()
        return
    fi
    # Paths quote names with a dot, and bash would take the quotes for its own.
    [[ ${words[-1]} == [\"\']* ]] || COMPREPLY=("${COMPREPLY[@]//\"/\\\"}")
    # Bash wants what belongs into the place of the last piece alone. Of `--set=PATH` the answer is about the path.
    [[ $part == [=:]* ]] && part=
    local before=${words[-1]%%"$part"}
    [[ $before == --*=* ]] && before=${before#*=}
    COMPREPLY=("${COMPREPLY[@]#"$before"}")
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[.=] ]] && compopt -o nospace 2>/dev/null
    return 0
}

complete -o default -F %(complete_func)s %(prog_name)s
"""

ZSH = r"""
#compdef %(prog_name)s

%(complete_func)s() {
    local line value
    local -a open whole about_open about_whole
    # Asked as fish asks: a value, a tab and a sentence about it in each line.
    for line in "${(@f)$(env _TYPER_COMPLETE_ARGS="${words[1,$CURRENT]}" _TYPER_COMPLETE_FISH_ACTION=get-args \
            %(autocomplete_var)s=complete_fish %(prog_name)s)}"; do
        value=${line%%%%$'\t'*}
        [[ -n $value ]] || continue
        if [[ $value == *[.=] ]]; then
            open+=("$value")
            about_open+=("${line/$'\t'/  -- }")
        else
            whole+=("$value")
            about_whole+=("${line/$'\t'/  -- }")
        fi
    done
    if (( $#open + $#whole == 0 )); then
        _files
        return
    fi
    # A path goes on, so no space comes behind it.
    (( $#open )) && compadd -S '' -l -d about_open -a open
    (( $#whole )) && compadd -l -d about_whole -a whole
    return 0
}

# Found in a folder of functions, the file is the function at its first call.
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    %(complete_func)s "$@"
else
    compdef %(complete_func)s %(prog_name)s
fi
"""


def teach() -> None:
    """Has Typer hand these out, whichever way it is asked for them."""
    _completion_shared._completion_scripts.update(bash=BASH, zsh=ZSH)
    _completion_classes.BashComplete.source_template = BASH
    _completion_classes.ZshComplete.source_template = ZSH
