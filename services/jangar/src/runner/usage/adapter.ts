import { basename } from 'node:path'
import type { AdapterName } from '../contract/runner-spec.ts'
import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'
import { geminiCli } from './gemini-cli.ts'
import type { OutputReading } from './output-reading.ts'

/** What one line of a program's standard output tells, if anything. Never throws: programs change what they print. */
export type ReadEvent = (event: Readonly<Record<string, unknown>>) => OutputReading | undefined

const READERS: Readonly<Record<AdapterName, ReadEvent | undefined>> = {
  plain: undefined,
  codex,
  'claude-code': claudeCode,
  'gemini-cli': geminiCli,
}

export function readerOf(adapter: AdapterName): ReadEvent | undefined {
  return READERS[adapter]
}

const BY_PROGRAM: Readonly<Record<string, AdapterName>> = {
  codex: 'codex',
  claude: 'claude-code',
  gemini: 'gemini-cli',
}

/** By the program's name alone, since that is what people know it by. */
export function guessAdapter(binary: string): AdapterName {
  const name = basename(binary)
  return Object.hasOwn(BY_PROGRAM, name) ? (BY_PROGRAM[name] ?? 'plain') : 'plain'
}
