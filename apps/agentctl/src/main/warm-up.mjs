// Compiles what agentctl and the programs in its pods load, so that the first start is as fast as later ones. Writes
// nothing but the user's compile cache, and never fails: without the cache, the first start compiles the same code.
import { spawnSync } from 'node:child_process'
import * as nodeModule from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

if (Number(process.versions.node.split('.')[0]) >= 24) {
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  nodeModule.enableCompileCache(join(caches, 'agents', 'compiled'))
  try {
    const { commandGroups } = await import('../commands/command-groups.ts')
    const commands = commandGroups.flatMap((group) => group.commands)
    await Promise.all(commands.map((command) => command.load()))
    await import('../platform/run-platform.ts')
    const mainOf = (name) => join(dirname(fileURLToPath(import.meta.resolve(name))), 'main')
    const programs = mainOf('@agents/jangar')
    for (const source of ['runner.ts', 'scripted-agent.ts']) {
      const launcher = join(import.meta.dirname, 'launch.mjs')
      spawnSync(process.execPath, [launcher, join(programs, source), '--help'])
    }
    spawnSync(process.execPath, [join(mainOf('@agents/apiserver'), 'start.mjs'), '--help'])
  } catch (error) {
    process.stderr.write(`agentctl: nothing was compiled in advance: ${error}\n`)
  }
}
