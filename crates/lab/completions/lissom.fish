# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_lissom_global_optspecs
    string join \n root= results= h/help V/version
end

function __fish_lissom_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_lissom_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_lissom_using_subcommand
    set -l cmd (__fish_lissom_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c lissom -n "__fish_lissom_needs_command" -l root -d 'Folder of the project\'s sources (found from the working folder upwards)' -r -F
complete -c lissom -n "__fish_lissom_needs_command" -l results -d 'File that raw results are appended to [default: $XDG_STATE_HOME/lissom/results.jsonl]' -r -F
complete -c lissom -n "__fish_lissom_needs_command" -s h -l help -d 'Print help'
complete -c lissom -n "__fish_lissom_needs_command" -s V -l version -d 'Print version'
complete -c lissom -n "__fish_lissom_needs_command" -f -a "cases" -d 'List the cases: what is measured, on which input, in which articles'
complete -c lissom -n "__fish_lissom_needs_command" -f -a "bench" -d 'Measure cases and print their tables'
complete -c lissom -n "__fish_lissom_needs_command" -f -a "report" -d 'Measure what is missing, then write the articles'
complete -c lissom -n "__fish_lissom_needs_command" -f -a "render" -d 'Write the articles again from the data files beside them, without measuring'
complete -c lissom -n "__fish_lissom_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c lissom -n "__fish_lissom_using_subcommand cases" -l root -d 'Folder of the project\'s sources (found from the working folder upwards)' -r -F
complete -c lissom -n "__fish_lissom_using_subcommand cases" -l results -d 'File that raw results are appended to [default: $XDG_STATE_HOME/lissom/results.jsonl]' -r -F
complete -c lissom -n "__fish_lissom_using_subcommand cases" -s h -l help -d 'Print help'
complete -c lissom -n "__fish_lissom_using_subcommand bench" -l rounds -d 'Exactly so many rounds' -r
complete -c lissom -n "__fish_lissom_using_subcommand bench" -l root -d 'Folder of the project\'s sources (found from the working folder upwards)' -r -F
complete -c lissom -n "__fish_lissom_using_subcommand bench" -l results -d 'File that raw results are appended to [default: $XDG_STATE_HOME/lissom/results.jsonl]' -r -F
complete -c lissom -n "__fish_lissom_using_subcommand bench" -l quick -d 'Few rounds: minutes, wide spread'
complete -c lissom -n "__fish_lissom_using_subcommand bench" -l full -d 'The rounds an article is published with (the default)'
complete -c lissom -n "__fish_lissom_using_subcommand bench" -l fresh -d 'Measure again: earlier rounds do not count'
complete -c lissom -n "__fish_lissom_using_subcommand bench" -s h -l help -d 'Print help'
complete -c lissom -n "__fish_lissom_using_subcommand report" -l rounds -d 'Exactly so many rounds' -r
complete -c lissom -n "__fish_lissom_using_subcommand report" -l out -d 'Folder for the articles, one folder each' -r -F
complete -c lissom -n "__fish_lissom_using_subcommand report" -l root -d 'Folder of the project\'s sources (found from the working folder upwards)' -r -F
complete -c lissom -n "__fish_lissom_using_subcommand report" -l results -d 'File that raw results are appended to [default: $XDG_STATE_HOME/lissom/results.jsonl]' -r -F
complete -c lissom -n "__fish_lissom_using_subcommand report" -l quick -d 'Few rounds: minutes, wide spread'
complete -c lissom -n "__fish_lissom_using_subcommand report" -l full -d 'The rounds an article is published with (the default)'
complete -c lissom -n "__fish_lissom_using_subcommand report" -l fresh -d 'Measure again: earlier rounds do not count'
complete -c lissom -n "__fish_lissom_using_subcommand report" -s h -l help -d 'Print help'
complete -c lissom -n "__fish_lissom_using_subcommand render" -l root -d 'Folder of the project\'s sources (found from the working folder upwards)' -r -F
complete -c lissom -n "__fish_lissom_using_subcommand render" -l results -d 'File that raw results are appended to [default: $XDG_STATE_HOME/lissom/results.jsonl]' -r -F
complete -c lissom -n "__fish_lissom_using_subcommand render" -l check -d 'Write nothing; status 1 when an article and its data disagree'
complete -c lissom -n "__fish_lissom_using_subcommand render" -s h -l help -d 'Print help'
complete -c lissom -n "__fish_lissom_using_subcommand help; and not __fish_seen_subcommand_from cases bench report render help" -f -a "cases" -d 'List the cases: what is measured, on which input, in which articles'
complete -c lissom -n "__fish_lissom_using_subcommand help; and not __fish_seen_subcommand_from cases bench report render help" -f -a "bench" -d 'Measure cases and print their tables'
complete -c lissom -n "__fish_lissom_using_subcommand help; and not __fish_seen_subcommand_from cases bench report render help" -f -a "report" -d 'Measure what is missing, then write the articles'
complete -c lissom -n "__fish_lissom_using_subcommand help; and not __fish_seen_subcommand_from cases bench report render help" -f -a "render" -d 'Write the articles again from the data files beside them, without measuring'
complete -c lissom -n "__fish_lissom_using_subcommand help; and not __fish_seen_subcommand_from cases bench report render help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
