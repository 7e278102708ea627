import { basename } from 'node:path'
import type { AdapterName } from '../../run-contract/runner-spec.ts'
import { aider } from './aider.ts'
import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'
import { geminiCli } from './gemini-cli.ts'
import { opencode } from './opencode.ts'
import type { OutputReading } from './output-reading.ts'

/**
 * What one line of a program's standard output reports, if anything. Never throws, since programs change their output.
 */
export type ReadEvent = (event: Readonly<Record<string, unknown>>) => OutputReading | undefined

const eventReaders: Readonly<Record<AdapterName, ReadEvent | undefined>> = {
  plain: undefined,
  codex,
  'claude-code': claudeCode,
  'gemini-cli': geminiCli,
  opencode,
  aider,
}

export function readerOf(adapter: AdapterName): ReadEvent | undefined {
  return eventReaders[adapter]
}

const adapterByProgram: Readonly<Record<string, AdapterName>> = {
  codex: 'codex',
  claude: 'claude-code',
  gemini: 'gemini-cli',
  opencode: 'opencode',
  aider: 'aider',
}

/** By the program's name alone, since that is what people know it by. */
export function guessAdapter(binary: string): AdapterName {
  const name = basename(binary)
  return Object.hasOwn(adapterByProgram, name) ? (adapterByProgram[name] ?? 'plain') : 'plain'
}
