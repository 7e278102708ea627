import { renderConfigMarkdown } from '@agents/config'
import { operator } from '@agents/gittarget'
import { controllers, controlPlane } from '@agents/jangar'

/** Every setting of every process, from its declaration. */
export function configurationPage(): string {
  return [
    '# Configuration',
    'Written by `npm run generate`. Every process reads its settings from environment variables, once, when it starts; the chart sets them from the values in the fourth column.',
    'A value that cannot be read stops the process with exit code 78 and a list of all problems. An empty variable counts as not set. The effective configuration is logged at start, secrets masked.',
    renderConfigMarkdown({
      Controllers: controllers,
      'Control plane': controlPlane,
      GitTarget: operator,
    }),
  ].join('\n\n')
}
