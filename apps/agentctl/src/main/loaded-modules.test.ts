import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// Loading modules takes most of the time of a short command.
const printModules = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({
    load(url, context, next) {
      process.stderr.write('loaded ' + url + '\\n')
      return next(url, context)
    },
  })
`)}`

function modulesOf(...args: string[]): string[] {
  const program = join(import.meta.dirname, 'agentctl.mjs')
  const nowhere = { KUBECONFIG: join(import.meta.dirname, 'none'), HOME: process.env.HOME }
  const { stderr } = spawnSync(process.execPath, ['--import', printModules, program, ...args], {
    env: nowhere,
    encoding: 'utf8',
  })
  return [...stderr.matchAll(/^loaded (.*)$/gm)].map(([, url = '']) => url)
}

test.each([
  { command: ['--help'], expected: '/cli/help.ts' },
  { command: ['get', 'runs'], expected: '/commands/get.ts' },
  { command: ['__complete', 'get', 'r'], expected: '/completion/completions.ts' },
])(
  'agentctl $command does not load the declarations of kinds or other commands',
  ({ command, expected }) => {
    const modules = modulesOf(...command)
    expect(modules.filter((url) => url.includes(expected))).toHaveLength(1)
    expect(
      modules.filter((url) =>
        /packages\/(crd|controller)\/|services\/|prom-client|node_modules\/yaml\//.test(url),
      ),
    ).toEqual([])
    expect(modules.filter((url) => /\/commands\/(?!command-groups)/.test(url)).length).toBeLessThan(
      2,
    )
  },
)
