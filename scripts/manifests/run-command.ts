import { spawn } from 'node:child_process'

export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end. */
export function runCommand(
  file: string,
  args: readonly string[],
  options: { readonly stdin?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { env: { ...process.env, ...options.env } })
    const out: string[] = []
    const err: string[] = []
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => out.push(chunk))
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => err.push(chunk))
    child.on('error', reject)
    child.on('close', (code) =>
      resolve({ code: code ?? 1, stdout: out.join(''), stderr: err.join('') }),
    )
    // A program that exits without reading its input breaks the pipe; its exit code is sufficient.
    child.stdin.on('error', () => undefined)
    child.stdin.end(options.stdin ?? '')
  })
}
