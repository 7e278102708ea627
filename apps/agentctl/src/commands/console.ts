import { defineCommand } from '../cli/command.ts'
import { CommandFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { createCode, endSessions, hasConsole } from '../console/console-api.ts'
import { openBrowser } from '../console/open-browser.ts'
import { findLocalApi } from '../local-api/find-local-api.ts'

export const consoleCommand = defineCommand({
  about:
    'The browser is signed in as the user of the kubeconfig, and may do what this user may do. The address contains a code that works\n' +
    'once, for a minute. The certificate is that of the platform, which browsers ask about the first time.',
  options: {
    'no-open': { type: 'boolean', help: 'Print the address instead of opening a browser.' },
    'sign-out': { type: 'boolean', help: 'Sign all browsers of the user out, and open none.' },
    ...clusterOptions,
  },
  examples: [
    { does: 'open the console in the browser', line: 'agentctl console' },
    { does: 'print an address that signs a browser in', line: 'agentctl console --no-open' },
    { does: 'sign out everywhere', line: 'agentctl console --sign-out' },
  ],
  run: ({ values }, context) =>
    withCluster(values, context, async ({ connection }) => {
      const { stop, stdout, stderr, environment } = context
      const api = await findLocalApi(connection, values, context)
      if (api === undefined) {
        throw new CommandFailure('the console can be opened for a platform on this machine only', {
          advice: ['Start one: agentctl up'],
        })
      }
      if (values['sign-out']) {
        stderr.write(`Ended ${await endSessions(api, stop)} sessions.\n`)
        return exitCode.done
      }
      if (!(await hasConsole(api, stop))) {
        throw new CommandFailure('the platform has no console: its files are missing', {
          advice: [
            'Set JANGAR_API_CONSOLE_DIR to a folder with its files, and start the platform again.',
          ],
        })
      }
      const address = `${api.url}/#code=${await createCode(api, stop)}`
      const { platform } = process
      const ports = { environment, platform, stateDir: api.stateDir }
      if (!values['no-open'] && (await openBrowser(address, ports))) {
        stderr.write(`The console at ${api.url} opens in your browser.\n`)
        return exitCode.done
      }
      stderr.write('Open this address within a minute. It works once:\n')
      stdout.write(`${address}\n`)
      return exitCode.done
    }),
})
