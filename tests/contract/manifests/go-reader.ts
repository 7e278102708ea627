import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { parseJson } from '@agents/kube'
import { ensureGoProgram } from '../../support/testbed/go-program.ts'

/** What Go reads from a file: its documents, or why it rejects the file. */
export interface GoAnswer {
  readonly documents?: readonly unknown[]
  readonly error?: string
}

export type GoReader = (texts: readonly string[]) => Promise<GoAnswer[]>

/** Reads files with `sigs.k8s.io/yaml`, as kubectl does. Undefined where Go is not installed. */
export async function buildGoReader(): Promise<GoReader | undefined> {
  const program = await ensureGoProgram(join(import.meta.dirname, 'reader'))
  return program === undefined ? undefined : (texts) => readAll(program, texts)
}

function readAll(program: string, texts: readonly string[]): Promise<GoAnswer[]> {
  return new Promise((resolve, reject) => {
    const child = execFile(program, { maxBuffer: 2 ** 30 }, (error, output) => {
      if (error !== null) return reject(error)
      const answers = output.split('\n').slice(0, -1)
      if (answers.length !== texts.length) return reject(new Error('an answer is missing'))
      resolve(answers.map((line) => parseJson(line) as GoAnswer))
    })
    child.stdin?.end(texts.map((text) => `${JSON.stringify(text)}\n`).join(''))
  })
}
