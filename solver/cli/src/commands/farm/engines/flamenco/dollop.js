// Job type of Dollop for Flamenco. Put this file into the folder `scripts` beside the manager and start it again.
//
// A simulation runs in segments, one after another. Meshes and volumes of a segment are made in chunks that depend on
// that segment alone, and pictures in chunks that depend on the meshes and volumes of the same frames.
"use strict";

const JOB_TYPE = {
    label: "Dollop bake",
    description: "Soft, melting, tearing matter: simulate in segments, make meshes and volumes, and render them",
    settings: [
        { key: "cache", type: "string", required: true, description: "Folder that the job was written into" },
        { key: "first_frame", type: "int32", default: 1, required: true, description: "First frame of the scene" },
        { key: "last_frame", type: "int32", default: 100, required: true, description: "Last frame of the scene" },
        { key: "segment", type: "int32", default: 50, description: "Frames that one task simulates; 0 for all" },
        { key: "chunk", type: "int32", default: 10, description: "Frames that one task meshes or renders" },
        { key: "stages", type: "string", default: "mesh", description: "What is made of the frames: mesh, volume" },
        { key: "wedges", type: "string", default: "", description: "Names of the wedges, with commas between" },
        { key: "threads", type: "int32", default: 0, description: "Threads of a task; 0 for all cores" },
        { key: "dollop", type: "string", default: "dollop", description: "Command that starts Dollop" },
        { key: "blend", type: "string", subtype: "file_path", default: "", description: "Blender file to render; none: no pictures" },
        { key: "render_script", type: "string", default: "", visible: "hidden", description: "Script that renders" },
        { key: "blender", type: "string", default: "{blender}", visible: "hidden", description: "Command that starts Blender" },
    ],
};

function compileJob(job) {
    const settings = job.settings;
    const wedges = words(settings.wedges);
    if (wedges.length === 0) {
        compileCache(job, "", settings.cache, settings.cache + "/farm/scenes/scene.json");
    }
    for (const wedge of wedges) {
        compileCache(job, wedge + " ", settings.cache + "/" + wedge, settings.cache + "/farm/scenes/" + wedge + ".json");
    }
}

// The tasks of one cache.
function compileCache(job, prefix, cache, scene) {
    const settings = job.settings;
    const ends = [];
    let before = null;
    for (const segment of pieces(settings.first_frame, settings.last_frame, settings.segment)) {
        const simulate = dollopTask(settings, prefix + "simulate " + segment, "simulate",
            ["simulate", scene, "--cache", cache, "--frames", segment.toString()]);
        before = add(job, simulate, before === null ? [] : [before]);
        for (const chunk of pieces(segment.first, segment.last, settings.chunk)) {
            const made = words(settings.stages).map(function (stage) {
                const task = dollopTask(settings, prefix + stage + " " + chunk, "simulate",
                    [stage, cache, "--resume", "--frames", chunk.toString()]);
                return add(job, task, [before]);
            });
            const ready = made.length > 0 ? made : [before];
            if (settings.blend === "") {
                ends.push.apply(ends, ready);
            } else {
                ends.push(add(job, renderTask(settings, prefix + "render " + chunk, cache, chunk), ready));
            }
        }
    }
    add(job, task(prefix + "collect", "misc", settings.dollop, ["collect", cache]), ends);
}

function dollopTask(settings, name, type, args) {
    return task(name, type, settings.dollop, args.concat(["--threads", String(settings.threads)]));
}

function renderTask(settings, name, cache, chunk) {
    return task(name, "blender", settings.blender, [
        "--background", "--python-exit-code", "1", "--python", settings.render_script, "--",
        // One word, or a negative frame would look like an option.
        "--blend", settings.blend, "--cache", cache, "--frames=" + chunk,
    ]);
}

function task(name, type, exe, args) {
    const made = author.Task(name, type);
    made.addCommand(author.Command("exec", { exe: exe, args: args }));
    return made;
}

// Dependencies before addTask: it takes a copy.
function add(job, task, after) {
    for (const other of after) {
        task.addDependency(other);
    }
    job.addTask(task);
    return task;
}

// Ranges of so many frames, 0 for all. Frames may be negative, so the separator is two dots.
function pieces(first, last, size) {
    const found = [];
    const step = size > 0 ? size : last - first + 1;
    for (let start = first; start <= last; start += step) {
        const end = Math.min(last, start + step - 1);
        found.push({
            first: start,
            last: end,
            toString: function () { return start === end ? String(start) : start + ".." + end; },
        });
    }
    return found;
}

function words(text) {
    return text.split(",").map(function (word) { return word.trim(); }).filter(function (word) { return word !== ""; });
}
