_casebook_stored() {
  local value
  while IFS=$'\t' read -r value _
  do
    COMPREPLY+=("$value")
  done < <(casebook completion --values "$1" "$2" 2>/dev/null)
}
_casebook() {
  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" at="" words="" stored="" i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at/${COMP_WORDS[i]}" in
      @PATHS@) at="$at/${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at $prev" in
@VALUES@
    @FREE@) COMPREPLY=($(compgen -f -- "$cur")); return ;;
  esac
  case "$at" in
@PLACES@
  esac
  if [[ -n $stored && $cur != -* ]]
  then
    _casebook_stored "$stored" "$cur"
    return
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _casebook casebook
