// SPDX-FileCopyrightText: 2026 The Dollop founders
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Stand-ins for the objects that Flamenco's Manager gives to a job compiler, for tests.
"use strict";

const standIns = {
    count: 0,
    // The output of a script.
    printed: [],

    compile(job) {
        const added = [];
        job.created = new Date();
        job.addTask = (task) => {
            added.push({ ...task, commands: [...task.commands], dependencies: [...task.dependencies] });
        };
        compileJob(job);
        const short = (task) => ({ uuid: task.uuid, name: task.name });
        return JSON.stringify(added.map((task) => ({ ...task, dependencies: task.dependencies.map(short) })));
    },

    whole(text, part) {
        if (!/^\s*[+-]?\d+\s*$/.test(text)) {
            throw new Error(`invalid range: ${part}`);
        }
        return parseInt(text, 10);
    },

    // Sorted and without duplicates. A minus always separates, so no frame can be negative.
    frames(range) {
        const found = new Set();
        for (const part of range.replaceAll("..", "-").split(",")) {
            const ends = part.split("-");
            if (ends.length > 2) {
                throw new Error(`invalid range: ${part}`);
            }
            const [first, last] = [standIns.whole(ends[0], part), standIns.whole(ends[ends.length - 1], part)];
            for (let frame = first; frame <= last; frame++) {
                found.add(frame);
            }
        }
        return [...found].sort((one, other) => one - other);
    },

    // Ranges of three and more have a minus: 1,2 but 1-3.
    written(frames) {
        const runs = [];
        for (const frame of frames) {
            const run = runs[runs.length - 1];
            if (run && run[run.length - 1] === frame - 1) {
                run.push(frame);
            } else {
                runs.push([frame]);
            }
        }
        return runs.map((run) => (run.length > 2 ? `${run[0]}-${run[run.length - 1]}` : run.join(","))).join(",");
    },

    slashed(path) {
        return String(path).replaceAll("\\", "/");
    },

    clean(path) {
        const kept = [];
        for (const part of path.split("/")) {
            if (part === ".." && kept.length && kept[kept.length - 1] !== "..") {
                kept.pop();
            } else if (part && part !== "." && !(part === ".." && path.startsWith("/"))) {
                kept.push(part);
            }
        }
        return (path.startsWith("/") ? "/" : "") + kept.join("/") || ".";
    },
};

globalThis.author = {
    Task(name, type) {
        const [called, kind] = [String(name ?? "").trim(), String(type ?? "").trim()];
        if (!called || !kind) {
            throw new Error("author.Task(name, type): both are required");
        }
        return {
            uuid: `${standIns.count++}`,
            name: called,
            type: kind,
            commands: [],
            dependencies: [],
            addCommand(command) {
                this.commands.push({ ...command });
            },
            addDependency(task) {
                this.dependencies.push(task);
            },
        };
    },
    Command(name, parameters, steps) {
        return { name, parameters, steps: steps ?? 0 };
    },
};

globalThis.path = {
    basename(path) {
        return path === "" ? "." : standIns.slashed(path).replace(/\/+$/, "").split("/").pop() || "/";
    },
    dirname(path) {
        const slashed = standIns.slashed(path);
        const end = slashed.lastIndexOf("/");
        return end < 0 ? "." : slashed.slice(0, Math.max(end, 1));
    },
    join(...parts) {
        const given = parts.filter((part) => part !== "");
        return given.length ? standIns.slashed(standIns.clean(given.join("/"))) : "";
    },
    stem(path) {
        return globalThis.path.basename(path).replace(/\.[^.]*$/, "");
    },
};

globalThis.process = { platform: "linux", cwd: () => "/" };

globalThis.frameChunker = (range, size) => {
    const frames = String(range).trim() && standIns.frames(String(range).trim());
    const count = Math.trunc(Number(size) || 0);
    if (!frames.length) {
        throw new Error("empty range");
    }
    if (count < 1) {
        throw new Error(`invalid chunk size, must be positive number: ${size}`);
    }
    const chunks = [];
    for (let first = 0; first < frames.length; first += count) {
        chunks.push(standIns.written(frames.slice(first, first + count)));
    }
    return chunks;
};

globalThis.frameCount = (range) => standIns.frames(String(range)).length;

globalThis.formatTimestampLocal = (time) => {
    const two = (number) => String(number).padStart(2, "0");
    const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-");
    return `${day}_${two(time.getHours())}${two(time.getMinutes())}${two(time.getSeconds())}`;
};

// Only words and quotes, as job types need no more.
globalThis.shellSplit = (line) =>
    [...line.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g)].map(([word]) => word.replace(/"([^"]*)"|'([^']*)'/g, "$1$2"));

globalThis.print = (...words) => {
    standIns.printed.push(words.map(String).join(" "));
};
globalThis.alert = globalThis.print;
