// SPDX-License-Identifier: Apache-2.0
/** What is in deploy/observability, and the names of metrics in it. */
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {parse} from 'yaml';
import {readExpression} from './promql.ts';

export const FOLDER = 'deploy/observability';
export const RULES = join(FOLDER, 'palisade.rules.yaml');
export const RULE_TESTS = join(FOLDER, 'palisade.rules.test.yaml');

export type Rule = {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
};

export const rules = (): readonly Rule[] =>
  (parse(readFileSync(RULES, 'utf8')) as {groups: {rules: Rule[]}[]}).groups.flatMap(group => group.rules);

export type Panel = {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: {readonly type: string; readonly uid: string};
  readonly gridPos: {readonly x: number; readonly y: number; readonly w: number; readonly h: number};
  readonly targets?: readonly {readonly refId: string; readonly expr: string; readonly legendFormat: string}[];
  readonly fieldConfig?: {readonly defaults: {readonly unit: string}};
};
export type Dashboard = {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly schemaVersion: number;
  readonly panels: readonly Panel[];
  readonly links: readonly unknown[];
  readonly annotations: {readonly list: readonly {readonly expr: string}[]};
  readonly templating: {
    readonly list: readonly {readonly name: string; readonly type: string; readonly definition?: string}[];
  };
};

export const dashboards = (): readonly {readonly file: string; readonly dashboard: Dashboard}[] =>
  readdirSync(join(FOLDER, 'grafana')).map(file => ({
    file,
    dashboard: JSON.parse(readFileSync(join(FOLDER, 'grafana', file), 'utf8')) as Dashboard,
  }));

/** An expression, where it is, and the labels that its texts show. */
export type Use = {readonly at: string; readonly expr: string; readonly shown: readonly string[]};

const shownIn = (text: string): string[] =>
  [...text.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)/g)].map(([, label = '']) => label);

/** Of `label_values(METRIC, LABEL)`. */
const variableUse = (at: string, definition: string): Use => {
  const [, expr = '', label = ''] = /^label_values\((.*), (\w+)\)$/.exec(definition) ?? [];
  return {at, expr, shown: [label]};
};

const usesOfDashboard = (file: string, {panels, annotations, templating}: Dashboard): Use[] => [
  ...panels.flatMap(({title, targets = []}) =>
    targets.map(({expr, legendFormat}) => ({at: `${file}: ${title}`, expr, shown: shownIn(legendFormat)})),
  ),
  ...annotations.list.map(({expr}) => ({at: `${file}: annotation`, expr, shown: []})),
  ...templating.list.flatMap(({name, definition}) =>
    definition === undefined ? [] : [variableUse(`${file}: $${name}`, definition)],
  ),
];

export const uses = (): readonly Use[] => [
  ...rules().map(({record, alert = record ?? '', expr, annotations = {}}) => ({
    at: alert,
    expr,
    shown: Object.values(annotations)
      .flatMap(text => [...text.matchAll(/\$labels\.(\w+)/g)])
      .map(([, label = '']) => label),
  })),
  ...dashboards().flatMap(({file, dashboard}) => usesOfDashboard(file, dashboard)),
];

/** Names in all expressions, without those of recording rules and of Prometheus itself. */
export const usedMetrics = (): readonly string[] => {
  const recorded = new Set(rules().flatMap(({record}) => record ?? []));
  const names = uses().flatMap(({expr}) => readExpression(expr).metrics.map(({metric}) => metric));
  return [...new Set(names)].filter(name => !recorded.has(name) && name !== 'up').toSorted();
};
