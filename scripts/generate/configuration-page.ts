import { renderConfigMarkdown } from '@agents/config'
import { operator } from '@agents/gittarget'
import { controllers, controlPlane } from '@agents/jangar'

/** The reference page of all settings, from their declarations. */
export function configurationPage(): string {
  return [
    '# Configuration',
    'Written by `npm run generate`. Every process reads its settings from environment variables, once, when it starts; the chart sets them from the values in the fourth column. Where the column is empty, no value of its own sets the variable; `env.vars` can, and `gitTargetController.env.vars` for GitTarget, unless the chart refuses it.',
    'If a value is invalid, the process exits with code 78 and lists all problems. An empty variable counts as not set. The effective configuration is logged at startup, with secrets masked.',
    renderConfigMarkdown({
      Controllers: controllers,
      'Control plane': controlPlane,
      GitTarget: operator,
    }),
  ].join('\n\n')
}
