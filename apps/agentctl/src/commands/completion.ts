import { defineCommand } from '../cli/command.ts'
import { usageFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import { completionScript, type Shell, shells } from '../completion/completion-script.ts'

export const completionCommand = defineCommand({
  name: 'completion',
  summary: 'Print a script that lets your shell complete commands, flags, kinds and names',
  arguments: [{ name: 'SHELL', offers: shells }],
  options: {},
  examples: [
    { does: 'for this bash', line: 'source <(agentctl completion bash)' },
    {
      does: 'for every fish',
      line: 'agentctl completion fish > ~/.config/fish/completions/agentctl.fish',
    },
  ],
  run: async ({ positionals }, world) => {
    const shell = shells.find((each) => each === positionals[0]) as Shell | undefined
    if (shell === undefined) throw usageFailure(`the shell must be one of ${shells.join(', ')}`)
    world.stdout.write(completionScript(shell))
    return await Promise.resolve(exitCode.done)
  },
})
