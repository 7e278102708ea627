// Compiles what agentctl and the programs in its pods load, so that the first start is as quick as the second. Leaves nothing but
// the compiled code in the user's cache, and never fails: without it, the first start does the same work.
import { spawnSync } from 'node:child_process'
import * as nodeModule from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

if (Number(process.versions.node.split('.')[0]) >= 24) {
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  nodeModule.enableCompileCache(join(caches, 'agents', 'compiled'))
  try {
    await import('../commands/command-groups.ts')
    await import('../platform/run-platform.ts')
    const mainOf = (name) => join(dirname(fileURLToPath(import.meta.resolve(name))), 'main')
    const programs = mainOf('@agents/jangar')
    for (const source of ['runner.ts', 'scripted-agent.ts']) {
      const launcher = join(import.meta.dirname, 'launch.mjs')
      spawnSync(process.execPath, [launcher, join(programs, source), '--help'])
    }
    spawnSync(process.execPath, [join(mainOf('@agents/apiserver'), 'start.mjs'), '--help'])
  } catch (error) {
    process.stderr.write(`nothing is compiled beforehand: ${error}\n`)
  }
}
