import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { KubeObject } from '@agents/kube'
import { ensureGoProgram } from '../testbed/go-program.ts'

export interface Judgement {
  readonly kstatus: string
  readonly argo: string
  readonly message: string
}

export type Style = 'ready' | 'run'

export interface Judge {
  ask(style: Style, object: KubeObject): Promise<Judgement>
  stop(): void
}

export const healthFolder = join(import.meta.dirname, '..', '..', 'argocd', 'health')

/** kstatus itself, and our Lua as Argo CD would run it. Undefined where there is no Go. */
export async function startJudge(): Promise<Judge | undefined> {
  const program = await ensureGoProgram(join(import.meta.dirname, 'judge'))
  if (program === undefined) return undefined
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] })
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]()
  const scripts = {
    ready: await readFile(join(healthFolder, 'ready', 'health.lua'), 'utf8'),
    run: await readFile(join(healthFolder, 'run', 'health.lua'), 'utf8'),
  }
  return {
    ask: async (style, object) => {
      child.stdin.write(`${JSON.stringify({ script: scripts[style], object })}\n`)
      const { value, done } = await answers.next()
      if (done) throw new Error('the judge has left')
      return JSON.parse(value)
    },
    stop: () => child.stdin.end(),
  }
}
