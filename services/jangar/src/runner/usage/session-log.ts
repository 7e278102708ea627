import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import type { AdapterName } from '../../run-contract/runner-spec.ts'
import { createSecretMask } from '../../run-contract/secrets/secret-mask.ts'
import type { Usage } from '../../run-contract/usage.ts'
import { forwardLines } from '../process/forward-lines.ts'
import { openProgramFile } from '../process/program-file.ts'
import { claudeCodeLog } from './claude-code.ts'
import { codexLog } from './codex.ts'
import { geminiCliLog } from './gemini-cli.ts'
import { createUsageMeter, type UsageMeter } from './usage-meter.ts'

type Variables = Readonly<Record<string, string | undefined>>

const largestLogBytes = 256 * 1024 * 1024
const mostEntries = 10_000

/** Where a CLI that prints its usage only at the end keeps a log of each conversation. */
const logs = {
  codex: {
    read: codexLog,
    folder: ({ CODEX_HOME, HOME = '' }: Variables) =>
      join(CODEX_HOME || join(HOME, '.codex'), 'sessions'),
    // By year, month and day.
    depth: 4,
    isOf: (name: string, session: string) => name.endsWith(`-${session}.jsonl`),
    // Most lines are what tools printed.
    markers: ['usage', 'turn_context'],
  },
  'claude-code': {
    read: claudeCodeLog,
    folder: ({ CLAUDE_CONFIG_DIR, HOME = '' }: Variables) =>
      join(CLAUDE_CONFIG_DIR || join(HOME, '.claude'), 'projects'),
    // By project.
    depth: 2,
    isOf: (name: string, session: string) => name === `${session}.jsonl`,
    markers: ['usage'],
  },
  'gemini-cli': {
    read: geminiCliLog,
    folder: ({ GEMINI_CLI_HOME, HOME = '' }: Variables) =>
      join(GEMINI_CLI_HOME || HOME, '.gemini', 'tmp'),
    // By project, in a folder of their own.
    depth: 3,
    isOf: (name: string, session: string) =>
      session.length >= 8 && name.endsWith(`-${session.slice(0, 8)}.jsonl`),
    markers: ['tokens'],
  },
} as const

/** The usage so far of a program that was ended before it printed it. */
export async function usageInLog(
  adapter: AdapterName,
  session: string | undefined,
  env: Variables,
): Promise<Usage | undefined> {
  if (!hasLog(adapter)) return undefined
  // The program chose it, and it becomes part of a path.
  if (session === undefined || !/^[\w-]{1,100}$/.test(session)) return undefined
  const { read, folder, depth, isOf, markers } = logs[adapter]
  const budget = { entries: mostEntries }
  const path = await find(folder(env), depth, (name) => isOf(name, session), budget)
  if (path === undefined) return undefined
  const meter = createUsageMeter(read)
  await readLog(path, markers, meter).catch(() => undefined)
  return meter.usage()
}

function hasLog(adapter: AdapterName): adapter is keyof typeof logs {
  return Object.hasOwn(logs, adapter)
}

async function find(
  folder: string,
  depth: number,
  matches: (name: string) => boolean,
  budget: { entries: number },
): Promise<string | undefined> {
  const entries = await opendir(folder).catch(() => undefined)
  if (entries === undefined) return undefined
  const folders: string[] = []
  for await (const entry of entries) {
    if (budget.entries <= 0) return undefined
    budget.entries -= 1
    if (entry.isFile() && matches(entry.name)) return join(folder, entry.name)
    if (entry.isDirectory()) folders.push(join(folder, entry.name))
  }
  if (depth <= 1) return undefined
  // The newest day is the last one.
  for (const inner of folders.toSorted().toReversed()) {
    const found = await find(inner, depth - 1, matches, budget)
    if (found !== undefined) return found
  }
  return undefined
}

async function readLog(path: string, markers: readonly string[], meter: UsageMeter): Promise<void> {
  const file = await openProgramFile(path)
  const stream = file.createReadStream({ end: largestLogBytes - 1 })
  await forwardLines(stream, {
    mask: createSecretMask([]),
    write: () => Promise.resolve(),
    onLine: (line) => {
      if (markers.some((marker) => line.includes(marker))) meter.line(line)
    },
  })
}
