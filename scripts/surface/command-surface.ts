import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Json } from './surface.ts'

/** agentctl's commands with their arguments and flags, read from its help as a user sees it, and its exit codes. */
export async function commandSurface(root: string): Promise<Json> {
  const agentctl = join(root, 'apps', 'agentctl', 'src')
  const help = (...args: readonly string[]) =>
    output(join(agentctl, 'main', 'agentctl.mjs'), ...args, '--help')
  const { exitCode } = await import(join(agentctl, 'cli', 'exit-code.ts'))
  const commands: Record<string, Json> = {}
  for (const name of commandNames(await help())) {
    commands[name] = readCommandHelp(await help(name))
  }
  return { commands, exitCodes: exitCode }
}

/** Flags of the other programs that people and the chart start. */
export async function programFlags(root: string): Promise<Json> {
  const apiserver = join(root, 'packages', 'apiserver', 'src', 'main', 'start.mjs')
  const doctor = join(root, 'services', 'jangar', 'src', 'main', 'doctor.ts')
  return {
    apiserver: flagNames(await output(apiserver, '--help')),
    doctor: flagNames(await output(doctor, '--help')),
  }
}

async function output(program: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args])
  return stdout
}

/** The commands in the overview: indented, with a summary beside them. */
export function commandNames(overview: string): readonly string[] {
  return [...overview.matchAll(/^ {2}([a-z-]+) {2,}\S/gm)].map(([, name = '']) => name)
}

/** The usage line and the flags in the help of a command. */
export function readCommandHelp(help: string): Json {
  const [, usage = ''] = /^Usage\n {2}(.+)$/m.exec(help) ?? []
  const flags = help.matchAll(/^ {2}(?:-(\w), | {4})--([a-z-]+)(?: ([A-Z]\S*))? {2,}(.*)$/gm)
  return {
    usage,
    flags: Object.fromEntries(
      [...flags].map(([, short, name, value, text = '']) => [
        `--${name}`,
        {
          ...(short !== undefined && { short: `-${short}` }),
          ...(value !== undefined && { value }),
          ...choicesIn(text),
          ...(text.includes('May be repeated.') && { repeated: true }),
        },
      ]),
    ),
  }
}

function choicesIn(text: string): { choices?: readonly string[] } {
  const [, choices] = /\bOne of ([^.]+)\./.exec(text) ?? []
  return choices === undefined ? {} : { choices: choices.split(', ') }
}

function flagNames(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/--[a-z][a-z-]+/g)].map(([flag]) => flag))].toSorted()
}
