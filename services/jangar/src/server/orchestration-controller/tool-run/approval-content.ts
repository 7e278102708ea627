import type { ApprovalContent } from '../../approvals/approval-content.ts'
import type { ToolWork } from './tool-resolution.ts'

/** What a ToolRun would execute. */
export function toolRunContent({ tool, ...work }: ToolWork): ApprovalContent {
  const { env = [] } = tool.spec
  const secrets = env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.name ?? [])
  return {
    digested: { ...work, tool: { name: tool.metadata.name, spec: tool.spec } },
    summary: [
      ['Tool', work.memory === undefined ? tool.metadata.name : undefined],
      ['Memory', work.memory],
      ['Image', work.image],
      ['Command', JSON.stringify([...work.command, ...work.args])],
      [
        'Variables',
        work.values.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(', '),
      ],
      ['Service account', work.serviceAccount],
      ['Secrets', [...new Set(secrets)].toSorted().join(', ')],
    ],
  }
}
