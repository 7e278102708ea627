import { useNavigate } from '@tanstack/react-router'
import { type FilterField, Filters } from '../parts/filters.tsx'
import type { RunSearch } from './run-search.ts'

const kinds = [
  ['', 'All kinds'],
  ['AgentRun', 'AgentRun'],
  ['OrchestrationRun', 'OrchestrationRun'],
  ['ToolRun', 'ToolRun'],
] as const

const phases = [
  ['', 'Any phase'],
  ...['Pending', 'Running', 'Succeeded', 'Failed', 'Cancelled'].map(
    (each) => [each, each] as const,
  ),
] as const

const sources = [
  ['', 'Everywhere'],
  ['cluster', 'Cluster'],
  ['archive', 'Archive'],
] as const

const fields: readonly FilterField<keyof RunSearch>[] = [
  { name: 'text', label: 'Search', type: 'search', placeholder: 'words of a run' },
  { name: 'agent', label: 'Agent' },
  { name: 'repository', label: 'Repository', placeholder: 'owner/name' },
  { name: 'namespace', label: 'Namespace' },
  { name: 'label', label: 'Labels', placeholder: 'team=core, urgent' },
  { name: 'phase', label: 'Phase', options: phases },
  { name: 'kind', label: 'Kind', options: kinds },
  { name: 'source', label: 'Where', options: sources },
  { name: 'since', label: 'Created since', type: 'date' },
  { name: 'until', label: 'Until', type: 'date' },
]

/** The filters, which are those of the address. */
export function RunFilters({ search }: { readonly search: RunSearch }) {
  const navigate = useNavigate({ from: '/runs' })
  return (
    <Filters
      fields={fields}
      values={search}
      onValues={(next) => void navigate({ search: next, replace: true })}
      hasClear
    />
  )
}
