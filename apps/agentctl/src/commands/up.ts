import { resolve } from 'node:path'
import { defineCommand } from '../cli/command.ts'
import { usageFailure } from '../cli/command-failure.ts'
import { chooseStateDir } from '../cluster/choose-kubeconfig.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'

export const upCommand = defineCommand({
  name: 'up',
  summary: 'Run the whole platform on this machine, without a cluster',
  about:
    'An API server for kubectl, the controllers, and a node that runs pods as processes, all in this one. The first time a sample\n' +
    'run is shown. Ctrl-C stops it; starting it again goes on where it was.',
  options: {
    'state-dir': clusterOptions['state-dir'],
    'secure-port': {
      type: 'string',
      value: 'PORT',
      help: 'Port of the API server on 127.0.0.1; 0 takes a free one. Else the last one, or 6443, or a free one.',
    },
    kubeconfig: {
      type: 'string',
      value: 'FILE',
      help: 'Where to write the kubeconfig; else into the state folder.',
    },
    'no-sample': { type: 'boolean', help: 'Show no sample run.' },
    mirror: {
      type: 'string',
      value: 'FOLDER|URL',
      help: 'Mirror the platform’s own resources into this Git repository; a folder is made if there is none.',
    },
    'container-runtime': {
      type: 'string',
      value: 'PROGRAM',
      choices: ['docker', 'podman'],
      help: 'Run pods in containers of their images; else as processes.',
    },
    verbose: {
      type: 'boolean',
      short: 'v',
      help: 'Say what is done, and after how many milliseconds.',
    },
  },
  examples: [
    { does: 'start it', line: 'agentctl up' },
    {
      does: 'a second one, apart from the first',
      line: 'agentctl up --state-dir /tmp/other --secure-port 0',
    },
    { does: 'with a record of everything in Git', line: 'agentctl up --mirror record.git' },
  ],
  run: async ({ values }, world) => {
    const wishes = {
      stateDir: chooseStateDir(values, world),
      port: portOf(values['secure-port']),
      kubeconfig:
        values.kubeconfig === undefined
          ? undefined
          : resolve(world.workingDirectory, values.kubeconfig),
      sample: !values['no-sample'],
      verbose: values.verbose,
      mirror: values.mirror,
      containerRuntime: values['container-runtime'] as 'docker' | 'podman' | undefined,
    }
    // The platform is most of what there is to load, and only this command needs it.
    const { runPlatform } = await import('../platform/run-platform.ts')
    return await runPlatform(wishes, world)
  },
})

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw usageFailure(`--secure-port must be a port from 0 to 65535, not ${JSON.stringify(text)}`)
}
