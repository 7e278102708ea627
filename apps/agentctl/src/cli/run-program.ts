import type { ListedCommand, Options } from './command.ts'
import type { CommandContext } from './command-context.ts'
import { exitCode } from './exit-code.ts'
import { explainFailure } from './explain-failure.ts'
import { type CommandGroup, commandHelp, overview } from './help.ts'
import { parseCommandLine } from './parse-command-line.ts'

interface Program {
  readonly groups: readonly CommandGroup[]
  readonly globalOptions: Options
}

/** Runs the program for a command line and resolves to its exit code. Never throws. */
export async function runProgram(
  args: readonly string[],
  { groups, globalOptions }: Program,
  context: CommandContext,
): Promise<number> {
  const { stdout, stderr } = context
  const commands: ListedCommand[] = groups.flatMap((group) => group.commands)
  try {
    const line = await parseCommandLine(args, commands, globalOptions)
    if (line.requests === 'command') return await line.command.run(line.input, context)
    stdout.write(
      line.command === undefined
        ? overview(groups, stdout.style)
        : commandHelp(line.command, stdout.style),
    )
    return exitCode.done
  } catch (error) {
    const { code, message, advice } = explainFailure(error, context.stop)
    stderr.write(`${stderr.style.bad('error:')} ${message}\n`)
    for (const line of advice) stderr.write(`${line}\n`)
    if (code === exitCode.internal && context.environment.AGENTCTL_DEBUG !== undefined) {
      stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
    }
    return code
  }
}
