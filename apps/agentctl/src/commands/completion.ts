import { defineCommand } from '../cli/command.ts'
import { usageFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import { completionScript, type Shell, shells } from '../completion/completion-script.ts'

export const completionCommand = defineCommand({
  arguments: [{ name: 'SHELL', offers: shells }],
  options: {},
  examples: [
    { does: 'in the current bash', line: 'source <(agentctl completion bash)' },
    {
      does: 'in every new fish',
      line: 'agentctl completion fish > ~/.config/fish/completions/agentctl.fish',
    },
  ],
  run: async ({ positionals }, context) => {
    const shell = shells.find((each) => each === positionals[0]) as Shell | undefined
    if (shell === undefined) throw usageFailure(`the shell must be one of ${shells.join(', ')}`)
    context.stdout.writeDocument(completionScript(shell))
    return await Promise.resolve(exitCode.done)
  },
})
