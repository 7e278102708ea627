import { ApiFailure } from '@agents/client'
import { type ReactNode, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Facts } from '../parts/facts.tsx'
import { Select, TextArea, TextField } from '../parts/field.tsx'
import { byNamespace, Filters } from '../parts/filters.tsx'
import { Icon, iconNames } from '../parts/icon.tsx'
import { LinkTabs } from '../parts/link-tabs.tsx'
import { ListFailure } from '../parts/list-failure.tsx'
import { FailureNotice, Notice } from '../parts/notice.tsx'
import { Phase } from '../parts/phase.tsx'
import { Plain } from '../parts/plain.tsx'
import { Table } from '../parts/table.tsx'
import { Ago, Duration } from '../parts/time.tsx'
import { TypedFilter } from '../parts/typed-filter.tsx'
import { CodeEditor } from '../yaml/code-editor.tsx'

const hour = 3_600_000
const begin = new Date(Date.now() - 5 * hour).toISOString()
const end = new Date(Date.now() - 4 * hour).toISOString()
const missing = 'you may not: create agentruns.agents.proompteng.ai in namespace agents'
const hostile = '<b>bold</b> safe\u202egnp.exe \u001b[31mred'
const forbidden = new ApiFailure({ status: 403, code: 'Forbidden', message: 'no' })

/** All parts, in both themes: for those who change one. Only in development. */
export function PartsPage() {
  return (
    <main className="parts-page">
      <h1 className="unseen">Parts</h1>
      <AllParts theme="light" />
      <AllParts theme="dark" />
    </main>
  )
}

function AllParts({ theme }: { readonly theme: 'light' | 'dark' }) {
  const [text, setText] = useState('typed')
  const [isOpen, setOpen] = useState(false)
  const named = (name: string): string => `${name}, ${theme}`
  return (
    <section className={`parts-theme ${theme}`} aria-label={theme}>
      <Part title="Button">
        <Button look="main">Main</Button>
        <Button>Plain</Button>
        <Button look="danger">Danger</Button>
        <Button busy>Busy</Button>
        <Button obstacle={missing}>Without right</Button>
        <Button pressed>Pressed</Button>
        <CopyButton text="agentctl logs first-run" label="Copy" />
        <Button onClick={() => setOpen(true)}>Open a dialog</Button>
        {isOpen && (
          <Dialog
            title="Cancel the run?"
            onClose={() => setOpen(false)}
            actions={<Button look="danger">Cancel the run</Button>}
          >
            <p>Its pods are deleted.</p>
          </Dialog>
        )}
      </Part>
      <Part title="Phase">
        {['Pending', 'Running', 'Succeeded', 'Failed', 'Cancelled', 'Expired', 'unheard of'].map(
          (phase) => (
            <Phase key={phase} phase={phase} />
          ),
        )}
      </Part>
      <Part title="Notice">
        <Notice>Something to know.</Notice>
        <Notice tone="wait">Something that waits.</Notice>
        <FailureNotice what="The runs cannot be listed:" error={new Error('no answer')} />
        <ListFailure error={forbidden} kind="budgets.budgets.proompteng.ai" namespace="agents" />
      </Part>
      <Part title="Field">
        <TextField label={named('Name')} value={text} onChange={setText} hint="A hint" />
        <TextField label={named('Empty')} value="" placeholder="any" onChange={setText} />
        <TypedFilter label={named('Filter')} value={text} onChange={setText} />
        <Filters
          label={named('Filters')}
          fields={byNamespace}
          values={{ namespace: text }}
          onValues={({ namespace = '' }) => setText(namespace)}
          hasClear
        />
        <Select
          label={named('Phase')}
          value="a"
          options={[
            ['a', 'Any phase'],
            ['b', 'Running'],
          ]}
          onChange={setText}
        />
        <TextArea label={named('Task')} value={text} rows={3} onChange={setText} />
      </Part>
      <Part title="Editor">
        <CodeEditor
          label={named('YAML')}
          text={'kind: AgentRun\nspec:\n  runtime:\n    type: jub\n'}
          onText={setText}
          problems={[{ line: 4, message: 'spec.runtime.type: Unsupported value: "jub"' }]}
          rows={5}
        />
      </Part>
      <Part title="Text of others, times, facts">
        <Facts
          items={[
            ['Hostile', <Plain key="hostile" text={hostile} />],
            ['Created', <Ago key="created" at={begin} />],
            ['Took', <Duration key="took" from={begin} to={end} />],
            ['Nothing', ''],
          ]}
        />
      </Part>
      <Part title="Table">
        <Table label={named('Runs')} columns={['State', 'Name']}>
          <tr>
            <td>
              <Phase phase="Running" />
            </td>
            <td>first-run</td>
          </tr>
        </Table>
      </Part>
      <Part title="Tabs">
        <LinkTabs
          label={named('Views')}
          current="log"
          tabs={[
            ['log', 'Log'],
            ['task', 'Task'],
            ['yaml', 'YAML'],
          ]}
        />
      </Part>
      <Part title="Icon">
        {iconNames.map((name) => (
          <span key={name} title={name}>
            <Icon name={name} />
          </span>
        ))}
      </Part>
    </section>
  )
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div>
      <h2>{title}</h2>
      <div className="parts-row">{children}</div>
    </div>
  )
}
