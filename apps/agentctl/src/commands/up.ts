import { resolve } from 'node:path'
import { defineCommand } from '../cli/command.ts'
import { usageFailure } from '../cli/command-failure.ts'
import { chooseStateDir } from '../cluster/choose-kubeconfig.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'

export const upCommand = defineCommand({
  about:
    'One process runs an API server for kubectl, the controllers, and a node that runs pods as processes. The first start shows\n' +
    'a sample run. Ctrl-C stops the platform; the next start continues with its state.',
  options: {
    'state-dir': {
      ...clusterOptions['state-dir'],
      help: 'State folder of the platform of this machine. Defaults to AGENTCTL_STATE_DIR, .state in a checkout, or ~/.local/state/agentctl.',
    },
    'secure-port': {
      type: 'string',
      value: 'PORT',
      help: 'Port of the API server on 127.0.0.1; 0 means any free port. Defaults to the last port, or 6443, or a free one.',
    },
    'http-port': {
      type: 'string',
      value: 'PORT',
      help: 'Port of the HTTP API on 127.0.0.1; 0 means any free port. Defaults to the last port, or 8443, or a free one.',
    },
    kubeconfig: {
      type: 'string',
      value: 'FILE',
      help: 'Where to write the kubeconfig. Defaults to the state folder.',
    },
    'no-sample': { type: 'boolean', help: 'Create neither the sample run nor its agent.' },
    mirror: {
      type: 'string',
      value: 'FOLDER|URL',
      help: 'Mirror the platform’s own resources into this Git repository. A missing folder is created.',
    },
    'container-runtime': {
      type: 'string',
      value: 'PROGRAM',
      choices: ['docker', 'podman'],
      help: 'Run pods as containers of their images. If omitted, pods run as processes.',
    },
    verbose: {
      type: 'boolean',
      short: 'v',
      help: 'Print each step with its time in milliseconds.',
    },
  },
  examples: [
    { does: 'start the platform', line: 'agentctl up' },
    {
      does: 'start a second one, separate from the first',
      line: 'agentctl up --state-dir /tmp/other --secure-port 0',
    },
    {
      does: 'start it with a record of its resources in Git',
      line: 'agentctl up --mirror record.git',
    },
  ],
  run: async ({ values }, context) => {
    const options = {
      stateDir: chooseStateDir(values, context),
      port: portOf('secure-port', values['secure-port']),
      httpPort: portOf('http-port', values['http-port']),
      kubeconfig:
        values.kubeconfig === undefined
          ? undefined
          : resolve(context.workingDirectory, values.kubeconfig),
      sample: !values['no-sample'],
      verbose: values.verbose,
      mirror: values.mirror,
      containerRuntime: values['container-runtime'] as 'docker' | 'podman' | undefined,
    }
    // Loaded here: the platform is most of the code, and only this command needs it. V8's memory saver mode, which the
    // controllers use on a cluster, would save 75 of 340 MiB, but costs two thirds more CPU time while runs are active.
    const { runPlatform } = await import('../platform/run-platform.ts')
    return await runPlatform(options, context)
  },
})

function portOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw usageFailure(`--${flag} must be a port from 0 to 65535, not ${JSON.stringify(text)}`)
}
