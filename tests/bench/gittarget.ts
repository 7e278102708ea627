/**
 * The shipped operator, in a process of its own and with the memory of its pod, mirroring to a repository on this machine.
 * `npm run bench -- gittarget [objects…]`; without sizes the growth from 100 to 50,000, in one folder and
 * in many, changes without end among 10,000 and among 50,000, and a restart.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measureGrowth } from './gittarget/growth.ts'
import { measureRestart } from './gittarget/restart.ts'

const SIZES = [100, 1_000, 10_000, 50_000]
/** What the goals name. */
const USUAL = 10_000
/** Of which a window may hold all. */
const SUSTAINED = [USUAL, 50_000]

export async function run(args: readonly string[]): Promise<void> {
  const sizes = args.length === 0 ? SIZES : args.map(sizeOf)
  const compiled = await mkdtemp(join(tmpdir(), 'bench-compiled-'))
  try {
    for (const shape of ['flat', 'spread'] as const) {
      console.log(shape === 'flat' ? 'in one folder' : '100 to a folder')
      for (const objects of sizes) {
        const sustained = shape === 'flat' && (args.length > 0 || SUSTAINED.includes(objects))
        await measureGrowth(objects, { shape, compiled, sustained })
      }
    }
    for (const objects of args.length === 0 ? [USUAL] : sizes) {
      await measureRestart(objects, compiled)
    }
  } finally {
    await rm(compiled, { recursive: true, force: true })
  }
}

function sizeOf(word: string): number {
  if (!/^[1-9]\d*$/.test(word)) throw new Error(`'${word}' is no number of objects`)
  return Number(word)
}
