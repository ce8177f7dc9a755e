// Rows of a run's tables, as lines over time.

/** Lines with common times: whoever has no value at one has nothing there. */
export class Lines {
  constructor() {
    this.times = [];
    this.lines = new Map();
  }

  add(time, label, value) {
    const { times, lines } = this;
    if (times.at(-1) !== time) {
      times.push(time);
      for (const values of lines.values()) values.push(null);
    }
    let values = lines.get(label);
    if (!values) {
      values = times.map(() => null);
      lines.set(label, values);
    }
    values[values.length - 1] = value;
  }

  of(label) {
    return this.lines.get(label) ?? [];
  }
}

const at = (table, column) => table?.[column] ?? [];

/** All that is drawn of one run. */
export class Samples {
  /** `tcp` names the groups that have windows. */
  constructor(tcp, mss = 1448) {
    this.tcp = new Set(tcp);
    this.mss = mss;
    this.waiting = new Lines();
    this.delay = new Lines();
    this.dropped = new Lines();
    this.marked = new Lines();
    this.carried = new Lines();
    this.throughput = new Lines();
    this.goodput = new Lines();
    this.windows = new Lines();
    this.before = new Map();
    // Since the start, by queue.
    this.totals = new Map();
  }

  take(rows) {
    this.takeQueues(rows.queue_series);
    const groups = rows.group_series;
    at(groups, "time_s").forEach((time, i) => {
      this.throughput.add(time, groups.group[i], groups.throughput_bps[i] / 1e6);
      this.goodput.add(time, groups.group[i], groups.goodput_bps[i] / 1e6);
    });
    const flows = rows.flow_series;
    at(flows, "time_s").forEach((time, i) => {
      const value = flows.cwnd_segments[i];
      const label = `${flows.group[i]} ${flows.flow[i] + 1}`;
      // Also before a flow has one, so that lines stand in the order of the flows.
      if (this.tcp.has(flows.group[i])) this.windows.add(time, label, value);
    });
    const subflows = rows.subflow_series;
    at(subflows, "time_s").forEach((time, i) => {
      const label = `${subflows.group[i]} ${subflows.flow[i] + 1} over ${subflows.link[i]}`;
      this.windows.add(time, label, subflows.cwnd_bytes[i] / this.mss);
    });
  }

  takeQueues(rows) {
    at(rows, "time_s").forEach((time, i) => {
      const queue = rows.queue[i];
      this.waiting.add(time, queue, rows.backlog_packets[i]);
      const sojourn = rows.sojourn_s[i];
      this.delay.add(time, queue, sojourn === null ? null : sojourn * 1000);
      this.carried.add(time, queue, rows.throughput_bps[i] / 1e6);
      const [dropped, marked] = [rows.dropped_packets[i], rows.marked_packets[i]];
      const last = this.before.get(queue) ?? { time: 0, dropped: 0, marked: 0 };
      const span = time - last.time;
      this.dropped.add(time, queue, span > 0 ? (dropped - last.dropped) / span : 0);
      this.marked.add(time, queue, span > 0 ? (marked - last.marked) / span : 0);
      this.before.set(queue, { time, dropped, marked });
      this.totals.set(queue, { dropped, marked });
    });
  }

  /** The queue in which most has waited: what is worth looking at. */
  busiest() {
    let [best, most] = [null, 0];
    for (const [queue, values] of this.waiting.lines) {
      const sum = values.reduce((all, value) => all + (value ?? 0), 0);
      if (sum > most) [best, most] = [queue, sum];
    }
    return best;
  }
}

export function mean(values) {
  let [sum, count] = [0, 0];
  for (const value of values) if (value !== null && Number.isFinite(value)) { sum += value; count += 1; }
  return count ? sum / count : null;
}
