import type { Command } from './command.ts'
import { exitCode } from './exit-code.ts'
import { explainFailure } from './explain-failure.ts'
import { type CommandGroup, commandHelp, overview } from './help.ts'
import { parseCommandLine } from './parse-command-line.ts'
import type { World } from './world.ts'

/** From the command line to the exit code. Throws nothing. */
export async function runProgram(
  args: readonly string[],
  groups: readonly CommandGroup[],
  world: World,
): Promise<number> {
  const { stdout, stderr } = world
  const commands: Command[] = groups.flatMap((group) => group.commands)
  try {
    const line = parseCommandLine(args, commands)
    if (line.asks === 'command') return await line.command.run(line.input, world)
    stdout.write(
      line.command === undefined
        ? overview(groups, stdout.style)
        : commandHelp(line.command, stdout.style),
    )
    return exitCode.done
  } catch (error) {
    const { code, message, advice } = explainFailure(error, world.stop)
    stderr.write(`${stderr.style.bad('error:')} ${message}\n`)
    for (const line of advice) stderr.write(`${line}\n`)
    if (code === exitCode.internal && world.environment.AGENTCTL_DEBUG !== undefined) {
      stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
    }
    return code
  }
}
