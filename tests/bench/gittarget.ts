/**
 * Measures the shipped operator, in its own process and with the memory of its pod, mirroring to a local repository.
 * `npm run bench -- gittarget [objects…]`; without sizes it measures the growth from 100 to 50,000 objects, in one
 * folder and in many, continuous changes among 10,000 and 50,000, and a restart.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measureGrowth } from './gittarget/growth.ts'
import { measureRestart } from './gittarget/restart.ts'

const repositorySizes = [100, 1_000, 10_000, 50_000]
/** The number of objects that the goals refer to. */
const usual = 10_000
/** Numbers of objects that may all change within one commit window. */
const sustainedSizes = [usual, 50_000]

export async function run(args: readonly string[]): Promise<void> {
  const sizes = args.length === 0 ? repositorySizes : args.map(sizeOf)
  const compiled = await mkdtemp(join(tmpdir(), 'bench-compiled-'))
  try {
    for (const shape of ['flat', 'spread'] as const) {
      console.log(shape === 'flat' ? 'in one folder' : '100 to a folder')
      for (const objects of sizes) {
        const sustained = shape === 'flat' && (args.length > 0 || sustainedSizes.includes(objects))
        await measureGrowth(objects, { shape, compiled, sustained })
      }
    }
    for (const objects of args.length === 0 ? [usual] : sizes) {
      await measureRestart(objects, compiled)
    }
  } finally {
    await rm(compiled, { recursive: true, force: true })
  }
}

function sizeOf(word: string): number {
  if (!/^[1-9]\d*$/.test(word)) throw new Error(`'${word}' is not a number of objects`)
  return Number(word)
}
