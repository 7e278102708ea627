export {
  outdatedFiles,
  type Profiles,
  readBaselines,
  readDecisions,
  readProfiles,
  takeSnapshot,
  writeBaseline,
} from './compat/baseline.ts'
export {
  at,
  type ChartSnapshot,
  type Finding,
  identity,
  listAt,
  type RenderedObject,
  readManifest,
  same,
} from './compat/chart-snapshot.ts'
export { checkDecisions } from './compat/check-decisions.ts'
export { compareCharts, type Decisions } from './compat/compare-charts.ts'
export { inlineSchema } from './compat/inline-schema.ts'
export { narrowings } from './compat/narrowings.ts'
export { changedReleases, markReleased, releasedDigests } from './compat/released-baselines.ts'
export { schemaRefusals } from './compat/schema-refusals.ts'
export { readValues, type Values, withDefaults } from './compat/values-file.ts'
export { reportValues } from './compat/values-report.ts'
export { checkGateBehaviour, checkGateList, readFeatureGates } from './gates/feature-gates.ts'
export { helmPath } from './helm/helm-path.ts'
export { type ChartPackage, packageChart } from './helm/package-chart.ts'
export { helmRenderer } from './helm/render-chart.ts'
export { sourceTime } from './helm/source-time.ts'
export { type Tool, toolPath } from './npm-tools/tool-path.ts'
export { type ChartValue, listValues, readValueTree } from './values/value-tree.ts'
export { type RemovedValues, valuesSchema } from './values/values-schema.ts'
