import { spawn } from 'node:child_process'
import { PostgresUnavailable } from './postgres-unavailable.ts'
import type { Unprivileged } from './unprivileged.ts'

/** Resolves when the program has succeeded. */
export async function runToEnd(
  who: Unprivileged,
  program: string,
  args: readonly string[],
  input = '',
): Promise<void> {
  const [file, all] = who.command(program, args)
  const child = spawn(file, all, { ...who.ids, env: plainWords, stdio: ['pipe', 'pipe', 'pipe'] })
  const output: string[] = []
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk.toString()))
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code === 0) return
  throw new PostgresUnavailable(`${program} ended with ${code}: ${output.join('').trim()}`)
}

/** The environment of PostgreSQL: its messages are parsed, so they must be in English. Nothing else is inherited. */
export const plainWords = { LC_ALL: 'C', PATH: '/usr/local/bin:/usr/bin:/bin' }
