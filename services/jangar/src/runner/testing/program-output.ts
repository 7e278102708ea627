import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

interface ProgramOutput {
  readonly exitCode: number
  /** Of standard output. */
  readonly bytes: number
  readonly stderr: string
  /** The most memory that the process had at a time. */
  readonly peakMebibytes: number
}

const watchMs = 50

/** Counts what a program prints, which may be more than fits into memory, and watches its memory. */
export async function largestProgramOutput(child: ChildProcess): Promise<ProgramOutput> {
  let bytes = 0
  let stderr = ''
  let peakMebibytes = 0
  child.stdout?.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8')
  })
  const timer = setInterval(() => {
    peakMebibytes = Math.max(peakMebibytes, peakOf(child.pid))
  }, watchMs)
  const [exitCode] = (await once(child, 'close')) as [number]
  clearInterval(timer)
  return { exitCode, bytes, stderr, peakMebibytes }
}

function peakOf(pid: number | undefined): number {
  try {
    const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return Number(peak ?? 0) / 1024
  } catch {
    // It has ended.
    return 0
  }
}
