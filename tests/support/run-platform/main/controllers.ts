import { controllersConfig, startControllers } from '@agents/jangar'
import { createKubeClient, loadKubeconfig, systemEffects } from '@agents/kube'
import { createLogger } from '@agents/log'
import { openArchive } from '../../../../services/jangar/src/server/archive/open-archive.ts'
import { openInbox } from '../../../../services/jangar/src/server/inbox/open-inbox.ts'
import { answerParent } from '../part-process.ts'

/** `node controllers.ts <kubeconfig> NAME=VALUE…`: runs the controllers in their own process, with these settings. */
const [, , kubeconfig = '', ...settings] = process.argv
const environment = Object.fromEntries(
  settings.map((setting) => [
    setting.slice(0, setting.indexOf('=')),
    setting.slice(setting.indexOf('=') + 1),
  ]),
)
const connection = await loadKubeconfig({ paths: [kubeconfig] }, systemEffects({}))
const config = controllersConfig(environment)
const log = createLogger({ sink: process.stderr, level: 'error' })
const inbox = await openInbox(config, log)
const archive = await openArchive(config, log)
const started = startControllers({
  client: createKubeClient(connection, { userAgent: 'controllers' }),
  ...{ config, log },
  ...(inbox && { inbox: inbox.reader }),
  ...(archive && { archive: archive.keep }),
})
await started.ready
answerParent(process, async () => {
  await started.stop()
  await inbox?.close()
  await archive?.close()
})
