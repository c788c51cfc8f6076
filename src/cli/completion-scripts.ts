export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

/** Each asks `supercargo __complete` for what may follow; `:0` at its end means files. */
export const completionScripts: Readonly<Record<(typeof shells)[number], string>> = {
  bash: `# bash completion of supercargo
_supercargo() {
  local line directive=':4' current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      :*) directive="$line" ;;
      ?*) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <("\${COMP_WORDS[0]}" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [ "$directive" = ':0' ] && [ "\${#COMPREPLY[@]}" -eq 0 ]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "\${current#=}")
  fi
}
complete -F _supercargo supercargo kubectl-supercargo
`,
  zsh: `#compdef supercargo kubectl-supercargo
_supercargo() {
  local line directive=':4'
  local -a candidates
  for line in "\${(@f)$("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case "$line" in
      :*) directive="$line" ;;
      ?*) line="\${line//:/\\\\:}"; candidates+=("\${line/$'\\t'/:}") ;;
    esac
  done
  if (( \${#candidates} )); then _describe 'supercargo' candidates
  elif [[ "$directive" == ':0' ]]; then _files
  fi
}
compdef _supercargo supercargo kubectl-supercargo
`,
  fish: `# fish completion of supercargo
function __supercargo_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in (supercargo __complete -- $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case ':0'
                __fish_complete_path "$current"
            case ':*'
            case '*'
                echo $line
        end
    end
end
complete -c supercargo -f -a '(__supercargo_complete)'
complete -c kubectl-supercargo -f -a '(__supercargo_complete)'
`,
  powershell: `# PowerShell completion of supercargo
Register-ArgumentCompleter -Native -CommandName 'supercargo', 'kubectl-supercargo' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    # Only what is before the cursor, as in the other shells.
    $before = $commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition }
    $words = @($before | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
    # An empty last word would be lost on its way to the program.
    $answer = if ($wordToComplete -eq '') { supercargo __complete --empty -- @words } else { supercargo __complete -- @words }
    $answer | Where-Object { $_ -notmatch '^:' } | ForEach-Object {
        $value, $description = $_ -split "\`t", 2
        if (-not $description) { $description = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
    }
}
`,
};
