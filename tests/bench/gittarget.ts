/**
 * The shipped operator, in a process of its own and with the settings of its image, mirroring to a repository on this machine.
 * `npm run bench -- gittarget [objects…]`; without sizes the growth from 100 to 50,000, changes without end among 10,000, and a restart.
 */
import { measureGrowth } from './gittarget/growth.ts'
import { measureRestart } from './gittarget/restart.ts'

const SIZES = [100, 1_000, 10_000, 50_000]
/** What the goals name. */
const USUAL = 10_000

export async function run(args: readonly string[]): Promise<void> {
  const sizes = args.length === 0 ? SIZES : args.map(Number)
  for (const objects of sizes) await measureGrowth(objects, sizes.length === 1 || objects === USUAL)
  if (args.length === 0) await measureRestart(USUAL)
  else for (const objects of sizes) await measureRestart(objects)
}
