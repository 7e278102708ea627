import type { ApiObject } from '@agents/client'
import { Facts } from '../parts/facts.tsx'
import { Icon } from '../parts/icon.tsx'
import { Notice } from '../parts/notice.tsx'
import { Plain } from '../parts/plain.tsx'
import { Ago } from '../parts/time.tsx'
import { LastCommits } from './last-commits.tsx'
import { ignoredFields, mirrorOf } from './mirror-object.ts'
import { MirrorRules } from './mirror-rules.tsx'

/** Each blocks those after it. */
const gates = [
  ['Validated', 'Valid'],
  ['EncryptionConfigured', 'Encryption'],
  ['Bootstrapped', 'Folder'],
  ['SnapshotSynced', 'In sync'],
  ['EventStreamLive', 'Live'],
] as const

/** How far a GitTarget is, what it pushed last and what is still to be pushed. */
export function MirrorState({ target }: { readonly target: ApiObject }) {
  const { spec, status } = mirrorOf(target)
  const { push = {}, snapshot = {}, stream = {} } = status
  const { stats } = snapshot
  return (
    <section className="mirror" aria-label="State of the mirror">
      {spec.suspend === true && <Notice tone="wait">It is suspended: nothing is written.</Notice>}
      {push.lastError !== undefined && (
        <Notice tone="bad">
          <strong>The last push failed:</strong> <Plain text={push.lastError} />
        </Notice>
      )}
      <ol className="chain" aria-label="Gates">
        {gates.map(([type, name]) => (
          <Gate key={type} name={name} condition={find(status.conditions, type)} />
        ))}
      </ol>
      <Facts
        items={[
          ['Commit', push.lastCommit && <code title={push.lastCommit}>{push.lastCommit}</code>],
          ['Pushed', push.lastPushTime && <Ago key="pushed" at={push.lastPushTime} />],
          ['Pending', `${push.pendingChanges ?? 0} changes`],
          ['Drift', `${snapshot.driftedFiles ?? 0} files changed in Git, not restored yet`],
          ['Retained', `${snapshot.retainedFiles ?? 0} files`],
          [
            'Last snapshot',
            stats && `${stats.created} created, ${stats.updated} updated, ${stats.deleted} deleted`,
          ],
          ['In sync', snapshot.lastCompletedTime && <Ago at={snapshot.lastCompletedTime} />],
          ['Streams', stream.total !== undefined && `${stream.live ?? 0} of ${stream.total} live`],
          ['Branch', <Plain key="branch" text={spec.branch} />],
          ['Folder', <Plain key="path" text={spec.path} />],
          ['Provider', <Plain key="provider" text={spec.providerRef?.name} />],
          ['Secrets', status.encryption?.mode === 'Sops' ? 'encrypted' : 'not mirrored'],
          [
            'Ignored fields',
            spec.ignore?.fields && <Plain key="fields" text={ignoredFields(spec)} />,
          ],
          [
            'Ignored writers',
            spec.ignore?.managers && (
              <Plain key="managers" text={spec.ignore?.managers?.join(', ')} />
            ),
          ],
        ]}
      />
      <LastCommits commits={push.recentCommits ?? []} />
      <MirrorRules target={target} />
    </section>
  )
}

type FoundCondition = ReturnType<typeof find>

function find(conditions: ReturnType<typeof mirrorOf>['status']['conditions'], type: string) {
  return conditions?.find((each) => each.type === type)
}

const answers = {
  True: { tone: 'good', icon: 'succeeded', word: 'yes' },
  False: { tone: 'bad', icon: 'failed', word: 'no' },
  Unknown: { tone: 'wait', icon: 'pending', word: 'open' },
} as const

function Gate({ name, condition }: { readonly name: string; readonly condition: FoundCondition }) {
  const known = answers[(condition?.status ?? 'Unknown') as keyof typeof answers]
  const { tone, icon, word } = known ?? answers.Unknown
  return (
    <li title={condition?.message}>
      <span className={`phase ${tone}`}>
        <span className="phase-dot">
          <Icon name={icon} size={14} />
        </span>
        {name} <span className="unseen">{word}</span>
      </span>
    </li>
  )
}
