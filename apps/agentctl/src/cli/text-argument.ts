import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { CommandContext } from './command-context.ts'
import { CommandFailure, usageFailure } from './command-failure.ts'
import { exitCode } from './exit-code.ts'

/** The text that an argument stands for: `@FILE` reads a file, `-` reads standard input. */
export async function textArgument(
  given: string | undefined,
  context: CommandContext,
): Promise<string | undefined> {
  if (given === '-') return context.readStdin()
  if (given === undefined || !given.startsWith('@')) return given
  const path = resolve(context.workingDirectory, given.slice(1))
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw new CommandFailure(`${path} cannot be read`, { code: exitCode.usage, cause })
  })
  // Arguments of programs cannot contain zero bytes, and the API server stores only UTF-8.
  if (!isUtf8(bytes) || bytes.includes(0)) throw usageFailure(`${path} is not UTF-8 text`)
  return bytes.toString('utf8')
}
