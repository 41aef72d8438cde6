// SPDX-FileCopyrightText: 2026 The Dollop founders
// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The counterpart of `solver/cache/examples/peer_grids.rs` with OpenVDB: reads the files of that program from a folder,
// and prints a line for each measurement: its name, and its seconds run by run.
//
//     grids FOLDER THREADS RUNS SPACING SUPPORT VOXEL
//
// Built by tools/peers/openvdb.py with: g++ -O3 -march=native -fno-math-errno grids.cpp -lopenvdb -ltbb

#include <openvdb/openvdb.h>
#include <openvdb/io/File.h>
#include <openvdb/points/PointConversion.h>
#include <openvdb/points/PointTransfer.h>
#include <openvdb/tools/Activate.h>
#include <openvdb/tools/MeshToVolume.h>
#include <openvdb/tools/Morphology.h>
#include <openvdb/tools/Prune.h>
#include <tbb/global_control.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

using namespace openvdb;

static void measure(const std::string& name, int runs, const std::function<void()>& work, const std::function<void()>& after = {})
{
    for (int run = 0; run < runs; ++run) {
        const auto start = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        std::printf("%s\t%.6f\n", name.c_str(), seconds.count());
        std::fflush(stdout);
        if (after) after();
    }
}

template <typename T>
static std::vector<T> readAll(const std::string& path)
{
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    std::vector<T> values(size_t(file.tellg()) / sizeof(T));
    file.seekg(0);
    file.read(reinterpret_cast<char*>(values.data()), std::streamsize(values.size() * sizeof(T)));
    return values;
}

// The sum of V W over the particles, W the spiky kernel: the density of Dollop.
struct Density : points::VolumeTransfer<FloatTree>
{
    Density(FloatTree& tree, float support, float factor) : VolumeTransfer(tree), support(support), factor(factor) {}
    Density(const Density& other) : VolumeTransfer(other), support(other.support), factor(other.factor) {}

    Int32 range(const Coord&, size_t) const { return Int32(std::ceil(support)); }

    bool startPointLeaf(const points::PointDataTree::LeafNodeType& leaf)
    {
        places.reset(new points::AttributeHandle<Vec3f>(leaf.constAttributeArray("P")));
        return true;
    }

    void rasterizePoint(const Coord& ijk, const Index id, const CoordBBox& bounds)
    {
        const Vec3d at = ijk.asVec3d() + Vec3d(places->get(id));
        CoordBBox box(Coord::ceil(at - double(support)), Coord::floor(at + double(support)));
        box.intersect(bounds);
        if (box.empty()) return;
        const Coord origin = bounds.min() & ~7;
        const float scale = 2.0f / support;
        for (int x = box.min().x(); x <= box.max().x(); ++x) {
            for (int y = box.min().y(); y <= box.max().y(); ++y) {
                const float dx = float(x - at.x()), dy = float(y - at.y());
                const float flat = dx * dx + dy * dy;
                if (flat >= support * support) continue;
                const int first = box.min().z(), count = box.max().z() - first + 1;
                float* row = this->buffer() + FloatTree::LeafNodeType::coordToOffset(Coord(x, y, first));
                const float start = float(first - at.z());
                for (int z = 0; z < count; ++z) {
                    const float dz = start + float(z);
                    const float q = 2.0f - scale * std::sqrt(flat + dz * dz);
                    const float outer = q > 0.0f ? q : 0.0f;
                    row[z] += factor * outer * outer * outer;
                }
            }
        }
    }

    bool endPointLeaf(const points::PointDataTree::LeafNodeType&) { return true; }
    bool finalize(const Coord&, size_t) { return true; }

    float support, factor;
    points::AttributeHandle<Vec3f>::UniquePtr places;
};

static FloatGrid::Ptr density(const std::vector<Vec3f>& positions, double spacing, double support, double voxel)
{
    const auto transform = math::Transform::createLinearTransform(voxel);
    const points::PointAttributeVector<Vec3f> wrapped(positions);
    const auto index = tools::createPointIndexGrid<tools::PointIndexGrid>(wrapped, *transform);
    const auto points =
        points::createPointDataGrid<points::NullCodec, points::PointDataGrid>(*index, wrapped, *transform);
    auto grid = FloatGrid::create(0.0f);
    grid->setTransform(transform);
    grid->setTree(FloatTree::Ptr(new FloatTree(points->tree(), 0.0f, TopologyCopy())));
    const int reach = int(std::ceil(support / voxel)) + 1;
    tools::dilateActiveValues(grid->tree(), reach, tools::NN_FACE_EDGE_VERTEX, tools::IGNORE_TILES);
    const double h = 0.5 * support;
    const double factor = 15.0 / (64.0 * M_PI) / (h * h * h) * spacing * spacing * spacing;
    Density transfer(grid->tree(), float(support / voxel), float(factor));
    points::rasterize(*points, transfer);
    // As in Dollop, the voxels with matter and their neighbours are active.
    tools::deactivate(grid->tree(), 0.0f);
    tools::dilateActiveValues(grid->tree(), 1, tools::NN_FACE_EDGE_VERTEX, tools::IGNORE_TILES);
    tools::pruneInactive(grid->tree());
    return grid;
}

static void writeGrids(const std::string& folder, int runs)
{
    for (const std::string name : {"density", "velocity"}) {
        io::File input(folder + "/" + name + ".vdb");
        input.open(false);
        const GridBase::Ptr grid = input.readGrid(name);
        input.close();
        for (const bool half : {false, true}) {
            for (const auto& [codec, flags] : std::vector<std::pair<std::string, uint32_t>>{
                     {"none", io::COMPRESS_ACTIVE_MASK},
                     {"blosc", io::COMPRESS_ACTIVE_MASK | io::COMPRESS_BLOSC},
                     {"zip", io::COMPRESS_ACTIVE_MASK | io::COMPRESS_ZIP}}) {
                grid->setSaveFloatAsHalf(half);
                const std::string path = folder + "/peer.vdb";
                const std::string label = "write " + name + (half ? " half " : " full ") + codec;
                measure(label, runs, [&, flags = flags] {
                    io::File file(path);
                    file.setCompression(flags);
                    file.write({grid});
                });
                std::printf("bytes %s\t%ju\n", label.c_str(), uintmax_t(std::filesystem::file_size(path)));
                std::filesystem::remove(path);
            }
        }
    }
}

int main(int count, char** arguments)
{
    if (count != 7) return 2;
    const std::string folder = arguments[1];
    const int threads = std::atoi(arguments[2]), runs = std::atoi(arguments[3]);
    const double spacing = std::atof(arguments[4]), support = std::atof(arguments[5]), voxel = std::atof(arguments[6]);
    tbb::global_control control(tbb::global_control::max_allowed_parallelism, size_t(threads));
    initialize();
    writeGrids(folder, runs);

    const auto positions = readAll<Vec3f>(folder + "/points.bin");
    FloatGrid::Ptr found;
    measure("rasterise density", runs, [&] { found = density(positions, spacing, support, voxel); });
    double sum = 0.0;
    for (auto value = found->cbeginValueOn(); value; ++value) sum += *value;
    std::printf("check density\t%.9g\nactive density\t%ju\n", sum, uintmax_t(found->activeVoxelCount()));

    const auto corners = readAll<Vec3f>(folder + "/corners.bin");
    const auto triangles = readAll<Vec3I>(folder + "/triangles.bin");
    const auto transform = math::Transform::createLinearTransform(voxel);
    measure("level set", runs, [&] { found = tools::meshToLevelSet<FloatGrid>(*transform, corners, triangles, 3.0f); });
    std::printf("active level set\t%ju\n", uintmax_t(found->activeVoxelCount()));
    return 0;
}
